// Messages there and back, in every channel mode that shows a chat.

const WORDS = ['hello', 'Grüße, 你好 🍕', 'a <b>tag</b> & "quotes"'];

const echo = (channel) => ({
  name: `echo-${channel}`,
  bot: 'echo',
  channel,
  async play(scene) {
    for (const [at, text] of WORDS.entries()) {
      await scene.face.say(text);
      const message = await scene.heardMessage(at + 1);
      scene.checks.now('the text that came to the bot', message.text, text);
      const reply = await scene.wire('the reply', () => scene.sent('message')[at]);
      scene.checks.now('the text that the bot sent', reply.text, `Echo: ${text}`);
      scene.checks.now('what it answers', reply.replyToId, message.id);
      scene.checks.now('whom it answers', reply.recipient.id, message.from.id);
    }
    await scene.shows('Echo: hello', 'Echo: Grüße, 你好 🍕', /^Echo: a .*tag.* & ["“]quotes["”]$/);
    await scene.sends(WORDS.length);
  },
});

export const scenes = ['emulator', 'msteams', 'directline', 'webchat'].map(echo);
