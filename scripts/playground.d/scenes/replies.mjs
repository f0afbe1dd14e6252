// `expectReplies`: the replies are the answer to the request, and the connector is never called.

const DELIVERY = 'expectReplies';
const FORM = /^Your name\s+Send\s+Greet me here$/;

const echo = (channel) => ({
  name: `replies-echo-${channel}`,
  bot: 'echo',
  channel,
  delivery: DELIVERY,
  async play(scene) {
    await scene.face.say('hello');
    await scene.shows('Echo: hello');
    await scene.face.say('again');
    await scene.shows('Echo: hello', 'Echo: again');
    const modes = scene.heard('message').map((one) => one.deliveryMode);
    scene.checks.now('the delivery mode', modes, [DELIVERY, DELIVERY]);
    scene.checks.now('calls of the connector', scene.stage.fromBot.length, 0);
    await scene.sends(2);
  },
});

const cards = (channel) => ({
  name: `replies-cards-${channel}`,
  bot: 'cards',
  channel,
  delivery: DELIVERY,
  async play(scene) {
    await scene.asks('adaptive', FORM);
    await scene.face.say('order');
    await scene.shows('Which card?', FORM, 'Ordered.');
    await scene.sends(3);
    // What cannot be a part of the answer does not come another way: no sign of typing, no change of a message.
    const answers = scene.stage.toBot.flatMap((one) => one.answered?.activities ?? []);
    scene.checks.now('activities in the answers', answers.map((one) => one.type), Array(3).fill('message'));
    scene.checks.now('calls of the connector', scene.stage.fromBot.length, 0);
  },
});

const MODES = ['emulator', 'msteams', 'directline', 'webchat'];
export const scenes = [...MODES.map(echo), ...MODES.map(cards)];
