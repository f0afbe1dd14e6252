// Cards and their buttons.

const FORM = /^Your name\s+Send\s+Greet me here$/;
const HERO = /^Pizza\s+Hot, round and yours.\s+receipt\s+Order\s+Read$/;

/** `Action.Execute`: the card that the bot answers with takes the place of the one that was pressed. */
const execute = (channel) => ({
  name: `execute-${channel}`,
  bot: 'cards',
  channel,
  async play(scene) {
    await scene.asks('adaptive', FORM);
    await scene.face.fill('Your name', 'Ann');
    await scene.face.press('Greet me here');
    await scene.shows('Which card?', /^Hello, Ann!\s+Your response was sent to the app$/);
    const presses = scene.stage.toBot.filter((one) => one.sent?.type === 'invoke');
    scene.checks.now('presses', presses.length, 1);
    const [{ sent, answered }] = presses;
    scene.checks.now('its name', sent.name, 'adaptiveCard/action');
    scene.checks.now('its verb', sent.value.action.verb, 'greet');
    scene.checks.now('the form', sent.value.action.data.name, 'Ann');
    const { statusCode, type } = answered;
    const card = 'application/vnd.microsoft.card.adaptive';
    scene.checks.now('the answer', { statusCode, type }, { statusCode: 200, type: card });
    await scene.sends(2);
  },
});

/** `Action.Submit`: the form comes as a message without a text, and the card is changed in place. */
const submit = (channel) => ({
  name: `submit-${channel}`,
  bot: 'cards',
  channel,
  async play(scene) {
    await scene.asks('adaptive', FORM);
    await scene.face.fill('Your name', 'Ann');
    await scene.face.press('Send');
    const form = await scene.heardMessage(2);
    scene.checks.now('the form', form.value.name, 'Ann');
    scene.checks.now('its text', form.text ?? '', '');
    await scene.shows('Which card?', /^Hello, Ann!/, 'Your name is Ann.');
    await scene.sends(3);
    const [update] = scene.updates();
    scene.checks.now('which message is changed', update.url.endsWith(`/${form.replyToId}`), true);
  },
});

/**
 * The same with the face of Web Chat: the form reaches the bot, but the Playground sends it from a chat that nobody sees,
 * so that is where the reply goes (seen with version 0.2.28). It sends nothing at all for `Action.Execute`.
 */
const submitElsewhere = (channel) => ({
  name: `submit-${channel}`,
  bot: 'cards',
  channel,
  async play(scene) {
    await scene.asks('adaptive', FORM);
    await scene.face.fill('Your name', 'Ann');
    await scene.face.press('Send');
    const [asked, form] = await scene.heardMessages(2);
    scene.checks.now('the form', form.value.name, 'Ann');
    const isElsewhere = form.conversation.id !== asked.conversation.id;
    scene.checks.now('that it comes from another chat', isElsewhere, true);
    const reply = await scene.wire('the reply', () => scene.sent('message')[2]);
    scene.checks.now('its text', reply.text, 'Your name is Ann.');
    scene.checks.now('where it goes', reply.conversation.id, form.conversation.id);
    await scene.shows('Which card?', FORM);
  },
});

/** The buttons of a hero card. The Teams face of the Playground knows only some of them. */
const hero = (channel) => ({
  name: `hero-${channel}`,
  bot: 'cards',
  channel,
  async play(scene) {
    await scene.asks('hero', HERO);
    await scene.face.press('receipt');
    const said = await scene.heardMessage(2);
    scene.checks.now('imBack says its value', said.text, 'receipt');
    await scene.shows('Which card?', HERO, /^Pizza & Co\.[^]*Margherita[^]*17.00 €/);
    await scene.face.press('Order');
    // The Playground makes two messages of a messageBack: its text here, its value in a chat that nobody sees.
    const [text, value] = (await scene.heardMessages(4)).slice(2).sort((one) => (one.text ? -1 : 1));
    scene.checks.now('messageBack says its text', text.text, 'order');
    scene.checks.now('and brings its value', value.value, { size: 'large' });
    await scene.shows('Which card?', HERO, /^Pizza & Co\./, 'Your pizza is ready.');
  },
});

/** A suggested action is pressed, and says its value. */
const suggested = (channel) => ({
  name: `suggested-${channel}`,
  bot: 'cards',
  channel,
  async play(scene) {
    await scene.shows('Which card?');
    await scene.face.press('hero');
    const said = await scene.heardMessage(1);
    scene.checks.now('what it says', said.text, 'hero');
    await scene.shows('Which card?', HERO);
  },
});

/** Every card at once, as a carousel. The Teams face of the Playground has none. */
const all = (channel) => ({
  name: `all-${channel}`,
  bot: 'cards',
  channel,
  async play(scene) {
    await scene.shows('Which card?');
    await scene.face.say('all');
    const message = await scene.wire('the cards', () => scene.sent('message')[1]);
    scene.checks.now('cards on the wire', message.attachments.length, 9);
    scene.checks.now('their layout', message.attachmentLayout, 'carousel');
    for (const part of ['All of them:', 'Pizza', 'Frascati', 'Who are you?', 'Your name']) {
      await scene.reads(part);
    }
  },
});

export const scenes = [
  ...['emulator', 'msteams'].map(execute),
  ...['emulator', 'msteams'].map(submit),
  ...['directline', 'webchat'].map(submitElsewhere),
  ...['directline', 'webchat'].map(hero),
  ...['emulator', 'msteams', 'directline', 'webchat'].map(suggested),
  ...['directline', 'webchat'].map(all),
];
