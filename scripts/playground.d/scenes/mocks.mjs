// What the Playground can make up: every activity of its menu is taken in, whatever it is about.

const mocks = (channel, chat) => ({
  name: `mocks-${channel}-${chat.toLowerCase().replaceAll(/\W+/g, '-')}`,
  bot: 'cards',
  channel,
  async play(scene) {
    await scene.shows('Which card?');
    if (chat !== 'Personal Chat') await scene.face.open(chat);
    const names = await scene.face.mocks();
    scene.checks.now('that there are some', names.length > 1, true);
    for (const name of names) {
      const before = scene.heard().length;
      await scene.face.mock(name);
      await scene.wire(`${name} comes to the bot`, () => scene.heard()[before]);
    }
  },
});

const CHATS = ['Personal Chat', 'Group Chat', 'My Team - General'];
export const scenes = [...CHATS.map((chat) => mocks('msteams', chat)), mocks('webchat', 'Personal Chat')];
