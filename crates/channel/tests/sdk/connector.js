// Makes every call of the JavaScript SDK's connector client against the service URL on its command line.
// Prints the names of the calls that it made, in order, as JSON.
'use strict';
const { ConnectorClient, MicrosoftAppCredentials } = require('botframework-connector');

const [serviceUrl] = process.argv.slice(2);
const conversation = '19:a/b c@thread.tacv2;messageid=1';
const activity = 'f|1 é';
const member = '29:ann+b?#';
const bot = { id: '28:bot', name: 'Bot' };
const message = { type: 'message', text: 'ciao ☕', from: bot, recipient: { id: member }, replyToId: activity };
const card = {
  contentType: 'application/vnd.microsoft.card.hero',
  content: { title: 'Rome', buttons: [{ type: 'imBack', title: 'go', value: 'go' }] },
};
const file = { type: 'text/plain', name: 'note.txt', originalBase64: Buffer.from('hi'), thumbnailBase64: Buffer.from('h') };

const calls = [
  ['conversations', 'createConversation', { isGroup: false, bot, members: [{ id: member }], tenantId: 't', topicName: 'pizza', activity: message, channelData: { tenant: { id: 't' } } }],
  ['conversations', 'getConversations'],
  ['conversations', 'getConversations', { continuationToken: 'p=2&+/ é' }],
  ['conversations', 'sendToConversation', conversation, { ...message, attachments: [card], suggestedActions: { to: [], actions: [{ type: 'imBack', title: 'a', value: 'a' }] } }],
  ['conversations', 'sendConversationHistory', conversation, { activities: [message, { type: 'event', name: 'n', value: { a: 1 } }] }],
  ['conversations', 'replyToActivity', conversation, activity, message],
  ['conversations', 'updateActivity', conversation, activity, { ...message, id: activity }],
  ['conversations', 'deleteActivity', conversation, activity],
  ['conversations', 'getConversationMembers', conversation],
  ['conversations', 'getConversationMember', conversation, member],
  ['conversations', 'getConversationPagedMembers', conversation],
  ['conversations', 'getConversationPagedMembers', conversation, { pageSize: 7, continuationToken: 'p=2&+/ é' }],
  ['conversations', 'deleteConversationMember', conversation, member],
  ['conversations', 'getActivityMembers', conversation, activity],
  ['conversations', 'uploadAttachment', conversation, file],
  ['attachments', 'getAttachmentInfo', 'at:1/e'],
  ['attachments', 'getAttachment', 'at:1/e', 'original'],
];

async function main() {
  const client = new ConnectorClient(new MicrosoftAppCredentials('', ''), { baseUri: serviceUrl });
  const made = [];
  for (const [group, name, ...parameters] of calls) {
    // What it makes of the answer is not looked at; the request is.
    await client[group][name](...parameters).catch((error) => console.error(`${name}: ${error.message}`));
    made.push(name);
  }
  console.log(JSON.stringify(made));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
