// A pizza bot of the JavaScript SDK: one turn for each text on its command line, with state in Blob Storage.
// Reads what it needs from the variables CONNECTION, CONTAINER, CONVERSATION and USER_ID; prints the replies as JSON.
'use strict';
const { BotAdapter, ConversationState, TurnContext, UserState } = require('botbuilder');
const { BlobsStorage } = require('botbuilder-azure-blobs');

class Collecting extends BotAdapter {
  replies = [];
  async sendActivities(_context, activities) {
    this.replies.push(...activities.map((activity) => activity.text));
    return activities.map((_activity, index) => ({ id: String(index) }));
  }
  async updateActivity() {}
  async deleteActivity() {}
  async continueConversation() {}
}

async function main() {
  const { CONNECTION, CONTAINER, CONVERSATION, USER_ID } = process.env;
  const storage = new BlobsStorage(CONNECTION, CONTAINER);
  const conversation = new ConversationState(storage);
  const user = new UserState(storage);
  const order = conversation.createProperty('order');
  const profile = user.createProperty('profile');
  const adapter = new Collecting();
  for (const text of process.argv.slice(2)) {
    const context = new TurnContext(adapter, {
      type: 'message', channelId: 'test', text, serviceUrl: 'https://example.org',
      conversation: { id: CONVERSATION }, from: { id: USER_ID }, recipient: { id: 'bot' },
    });
    await adapter.runMiddleware(context, async (turn) => {
      const now = await order.get(turn, { toppings: [] });
      const who = await profile.get(turn, { name: 'Zoë', visits: 0 });
      now.toppings.push(turn.activity.text);
      who.visits += 1;
      await turn.sendActivity(`${who.name} (${who.visits}): ${now.toppings.join(', ')}`);
      await conversation.saveChanges(turn);
      await user.saveChanges(turn);
    });
  }
  console.log(JSON.stringify(adapter.replies));
}

main().catch((error) => { console.error(error); process.exitCode = 1; });
