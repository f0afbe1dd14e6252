// The first that a bot hears of a conversation, and its welcome.

const MODES = {
  emulator: ['conversationUpdate'],
  // Teams tells of the installation first.
  msteams: ['installationUpdate', 'conversationUpdate'],
  directline: ['conversationUpdate'],
  webchat: ['conversationUpdate'],
};

const start = ([channel, kinds]) => ({
  name: `start-${channel}`,
  bot: 'cards',
  channel,
  async play(scene) {
    await scene.shows('Which card?');
    await scene.sends(1);
    scene.checks.now('what the bot heard', scene.heard().map((one) => one.type), kinds);
    scene.checks.now('the channel', scene.heard().at(-1).channelId, channel);
    const added = scene.heard('conversationUpdate')[0].membersAdded.length;
    scene.checks.now('members that came: the user and the bot', added, 2);
    const offers = scene.sent('message')[0].suggestedActions.actions.map((one) => one.title);
    for (const title of offers) await scene.offers(title);
  },
});

export const scenes = Object.entries(MODES).map(start);
