// A message that is taken back. The Playground cannot do that in any mode; what comes after is said all the same.

const take = (channel) => ({
  name: `delete-${channel}`,
  bot: 'cards',
  channel,
  refusals: ['DELETE 501'],
  async play(scene) {
    await scene.shows('Which card?');
    // The second waits for the first, which takes a moment: turns of a conversation come one after the other.
    await scene.face.say('order');
    await scene.face.say('cancel');
    await scene.shows('Which card?', 'Ordered.', 'Cancelled.');
    const order = scene.stage.fromBot.find((one) => one.sent?.text === 'Ordered.').answered.id;
    const deletes = scene.stage.fromBot.filter((one) => one.method === 'DELETE');
    scene.checks.now('deletes', deletes.length, 1);
    scene.checks.now('of which message', deletes[0].url.split('/').at(-1), order);
    await scene.sends(3);
    await scene.face.say('cancel');
    await scene.shows('Which card?', 'Ordered.', 'Cancelled.', 'There is nothing to cancel.');
  },
});

export const scenes = ['emulator', 'webchat'].map(take);
