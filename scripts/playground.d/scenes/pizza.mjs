// State: toppings add up, also when the bot is stopped and started again in between.

const pizza = (channel) => ({
  name: `pizza-${channel}`,
  bot: 'pizza',
  channel,
  async play(scene) {
    await scene.face.say('ham');
    await scene.shows('A pizza with ham.');
    await scene.face.say('olives');
    await scene.shows('A pizza with ham.', 'A pizza with ham and olives.');
    await scene.stage.restart();
    await scene.face.say('basil');
    await scene.shows(
      'A pizza with ham.',
      'A pizza with ham and olives.',
      'A pizza with ham and olives and basil.',
    );
    await scene.sends(3);
    const conversations = new Set(scene.heard('message').map((one) => one.conversation.id));
    scene.checks.now('conversations', conversations.size, 1);
  },
});

export const scenes = ['emulator', 'webchat'].map(pizza);
