// What the Playground can make up: every activity of its menu is taken in, whatever it is about.

/** The bot greets everybody but itself, and has something to say to every message. */
const isAnswered = ({ type, recipient, membersAdded = [] }) =>
  type === 'message' || membersAdded.some((member) => member.id !== recipient.id);

const mocks = (channel, chat) => ({
  name: `mocks-${channel}-${chat.toLowerCase().replaceAll(/\W+/g, '-')}`,
  bot: 'cards',
  channel,
  async play(scene) {
    await scene.shows('Which card?');
    if (chat !== 'Personal Chat') {
      await scene.face.open(chat);
      // The tool tells the bot of a chat that is opened: not to be taken for something that was made up.
      await scene.wire('the bot is in that chat', () => scene.heard('conversationUpdate')[1]);
      await scene.settles();
    }
    const names = await scene.face.mocks();
    scene.checks.now('that there are some', names.length > 1, true);
    const before = scene.heard().length;
    for (const [at, name] of names.entries()) {
      await scene.face.mock(name);
      await scene.wire(`${name} comes to the bot`, () => scene.heard()[before + at]);
    }
    await scene.sends(scene.heard().filter(isAnswered).length);
    scene.checks.now('how many came', scene.heard().length - before, names.length);
  },
});

const CHATS = ['Personal Chat', 'Group Chat', 'My Team - General'];
export const scenes = [...CHATS.map((chat) => mocks('msteams', chat)), mocks('webchat', 'Personal Chat')];
