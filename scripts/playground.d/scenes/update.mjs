// Messages that change in place, while and after the bot is seen typing.

const HERO = /^Pizza\s+Hot, round and yours/;
const DONE = /^Pizza\s+In the oven\.$/;
const READY = 'Your pizza is ready.';

/** `card` is what becomes of the card on the page. Web Chat draws a change only of the newest message. */
const update = (channel, card) => ({
  name: `update-${channel}`,
  bot: 'cards',
  channel,
  async play(scene) {
    await scene.asks('hero', HERO);
    await scene.startsTyping(() => scene.face.say('order'));
    await scene.picture('typing');
    // The card is changed by the turn, the order by a timer.
    await scene.shows('Which card?', card, READY);
    await scene.stopsTyping();
    await scene.sends(3);
    const kinds = scene.stage.fromBot.slice(2).map((one) => `${one.method} ${one.sent.type}`);
    scene.checks.now('that typing came first', kinds, [
      'POST typing',
      'PUT message',
      'POST message',
      'PUT message',
    ]);
    const posts = scene.stage.fromBot.filter((one) => one.method === 'POST' && one.answered?.id);
    const [, hero, order] = posts.map((one) => one.answered.id);
    scene.checks.now('what the order said first', posts[2].sent.text, 'Ordered.');

    const changes = scene.updates();
    const ids = changes.map(({ url }) => url.split('/').at(-1));
    scene.checks.now('which messages are changed', ids, [hero, order]);
    // Web Chat looks for the id in the body.
    scene.checks.now('their ids in the bodies', changes.map(({ sent }) => sent.id), [hero, order]);
    scene.checks.now('their types', changes.map(({ sent }) => sent.type), ['message', 'message']);
    scene.checks.now('the answers', changes.map(({ status }) => status), [200, 200]);
  },
});

export const scenes = [
  update('emulator', DONE),
  update('msteams', DONE),
  update('directline', HERO),
  update('webchat', HERO),
];
