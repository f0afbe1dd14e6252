// Chats of many: the bot hears what names it, and answers there and nowhere else.

const CHATS = [
  { chat: 'Group Chat', kind: 'groupChat' },
  { chat: 'My Team - General', kind: 'channel' },
];

const many = (channel, { chat, kind }) => ({
  name: `${kind}-${channel}`,
  bot: 'echo',
  channel,
  async play(scene) {
    await scene.face.say('between us');
    await scene.shows('Echo: between us');
    await scene.face.open(chat);
    await scene.shows();
    await scene.face.say('not for the bot');
    await scene.face.mention('Test Bot', 'hi all');
    const message = await scene.heardMessage(2);
    scene.checks.now('the text', message.text, '<at>Test Bot</at> hi all');
    const mention = message.entities.find((one) => one.type === 'mention');
    scene.checks.now('who is mentioned', mention.mentioned.id, message.recipient.id);
    scene.checks.now('the kind of conversation', message.conversation.conversationType, kind);
    scene.checks.now('that it is one of many', message.conversation.isGroup, true);
    const reply = await scene.wire('the reply', () => scene.sent('message')[1]);
    scene.checks.now('where it goes', reply.conversation.id, message.conversation.id);
    await scene.reads('Echo: Test Bot hi all');
    await scene.picture('many');
    await scene.face.open('Personal Chat');
    await scene.shows('Echo: between us');
    await scene.sends(2);
  },
});

export const scenes = ['emulator', 'msteams'].flatMap((channel) => CHATS.map((chat) => many(channel, chat)));
