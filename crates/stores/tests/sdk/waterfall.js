// Two dialogues of the JavaScript SDK, `numbers` (the published scale-out sample's) and `order`, with their stack in Blob Storage.
// The first word on the command line says which; then one turn for each text. Reads what it needs from the variables CONNECTION,
// CONTAINER, CONVERSATION and USER_ID; prints the replies as JSON.
'use strict';
const { BotAdapter, ConversationState, MessageFactory, TurnContext } = require('botbuilder');
const { BlobsStorage } = require('botbuilder-azure-blobs');
const {
  ChoicePrompt, ComponentDialog, ListStyle, NumberPrompt, TextPrompt, WaterfallDialog, runDialog,
} = require('botbuilder-dialogs');

const NOTE = 'příliš žluťoučký 🍕';

function numbers() {
  return new ComponentDialog('root')
    .addDialog(new WaterfallDialog('waterfall', [
      (step) => step.prompt('number', { prompt: MessageFactory.text('Enter a number.') }),
      (step) => {
        step.values.first = step.result;
        return step.prompt('number', {
          prompt: MessageFactory.text(`I have ${step.result} now enter another number`),
        });
      },
      async (step) => {
        const difference = step.values.first - step.result;
        await step.context.sendActivity(`The result of the first minus the second is ${difference}.`);
        return step.endDialog();
      },
    ]))
    .addDialog(new NumberPrompt('number'));
}

function order() {
  // The attempt at which an answer was good enough becomes a part of it.
  const isName = async ({ recognized, attemptCount }) => {
    recognized.value = `${recognized.value} (${attemptCount})`;
    return recognized.value.length >= 7 || attemptCount >= 4;
  };
  return new ComponentDialog('root')
    .addDialog(new WaterfallDialog('waterfall', [
      (step) => {
        step.values.note = { text: NOTE, tags: ['é', 1, null] };
        // The short forms that many bots use: texts for activities and choices.
        return step.prompt('size', {
          prompt: 'What size?', retryPrompt: 'Small or large, please.', choices: ['small', 'large'], style: ListStyle.list,
        });
      },
      (step) => {
        step.values.size = step.result;
        return step.prompt('name', {
          prompt: MessageFactory.text('Which name?'), retryPrompt: MessageFactory.text('A longer one, please: ž?'),
        });
      },
      async (step) => {
        const { note, size } = step.values;
        await step.context.sendActivity(`${size.value} #${size.index} for ${step.result}: ${note.text} ${note.tags.length}`);
        return step.endDialog();
      },
    ]))
    .addDialog(new ChoicePrompt('size'))
    .addDialog(new TextPrompt('name', isName));
}

class Collecting extends BotAdapter {
  replies = [];
  async sendActivities(_context, activities) {
    const messages = activities.filter((activity) => activity.type === 'message');
    this.replies.push(...messages.map((activity) => activity.text));
    return activities.map((_activity, index) => ({ id: String(index) }));
  }
  async updateActivity() {}
  async deleteActivity() {}
  async continueConversation() {}
}

async function main() {
  const { CONNECTION, CONTAINER, CONVERSATION, USER_ID } = process.env;
  const [which, ...texts] = process.argv.slice(2);
  const root = { numbers, order }[which]();
  const conversation = new ConversationState(new BlobsStorage(CONNECTION, CONTAINER));
  const stack = conversation.createProperty('DialogState');
  const adapter = new Collecting();
  for (const text of texts) {
    const context = new TurnContext(adapter, {
      type: 'message', channelId: 'test', text, serviceUrl: 'https://example.org',
      conversation: { id: CONVERSATION }, from: { id: USER_ID }, recipient: { id: 'bot' },
    });
    await adapter.runMiddleware(context, async (turn) => {
      await runDialog(root, turn, stack);
      await conversation.saveChanges(turn);
    });
  }
  console.log(JSON.stringify(adapter.replies));
}

main().catch((error) => { console.error(error); process.exitCode = 1; });
