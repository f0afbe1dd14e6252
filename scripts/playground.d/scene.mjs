// What a scene can do and check: the page on one side, the wire on the other.
import { waitFor } from './checks.mjs';
import { face } from './faces.mjs';

/** The replies of an exchange: with `expectReplies` they are the answer itself. */
const repliesIn = (exchange) => exchange.answered?.activities ?? [];

export class Scene {
  constructor(stage, checks, picture, { channel, delivery, refusals = [] }) {
    Object.assign(this, { stage, checks, picture, delivery, refusals });
    this.face = face(stage.page, channel);
  }

  /** What came to the bot, in order: the activities of a kind. */
  heard(kind) {
    const all = this.stage.toBot.filter((one) => one.method === 'POST').map((one) => one.sent);
    return kind ? all.filter((activity) => activity.type === kind) : all;
  }

  /** What the bot sent, in order: the activities of a kind, over whichever way they went. */
  sent(kind) {
    const own = this.stage.fromBot.filter((one) => one.method === 'POST').map((one) => one.sent);
    const all = this.delivery ? this.stage.toBot.flatMap(repliesIn) : own;
    return all.filter((activity) => activity.type === kind);
  }

  /** All that the bot sent: requests, and activities out of answers. */
  everythingSent() {
    const answers = this.stage.toBot.flatMap(repliesIn).map((sent) => ({ sent }));
    return [...this.stage.fromBot.filter((one) => one.sent), ...answers];
  }

  /** The changes of messages that the bot asked for, in order. */
  updates() {
    return this.stage.fromBot.filter((one) => one.method === 'PUT');
  }

  /** The page shows exactly these bubbles of the bot. */
  async shows(...expected) {
    const look = () => this.face.bubbles();
    const same = (seen) =>
      seen.length === expected.length && seen.every((text, at) => fits(text, expected[at]));
    await this.checks.until('the bubbles of the bot on the page', look, same, expected);
    await this.settles();
  }

  /** Every request has its answer: the page may show a message before the wire has seen that it was taken. */
  async settles() {
    const look = () => this.stage.underWay();
    await waitFor('requests without an answer', look, (count) => count === 0, 0);
  }

  /** So many messages of the bot went over the wire. */
  async sends(count) {
    const look = () => this.sent('message').length;
    await this.checks.until('messages of the bot on the wire', look, (seen) => seen === count, count);
  }

  /** Asks for a card after the welcome; the page shows it. */
  async asks(name, card) {
    await this.shows('Which card?');
    await this.face.say(name);
    await this.shows('Which card?', card);
  }

  /** What is done makes the page show that the bot is typing. It is looked for from the start: it does not last. */
  async startsTyping(act) {
    await this.stopsTyping();
    const [seen] = await Promise.all([this.face.seesTyping(), act()]);
    this.checks.now('the bot is seen typing', seen, true);
  }

  /** The page does not show, or no more, that the bot is typing. */
  async stopsTyping() {
    const look = () => this.face.isTyping();
    await this.checks.until('the bot is seen typing', look, (seen) => !seen, false);
  }

  /** The page shows a button. */
  async offers(name) {
    const look = () => this.face.buttons(name).count();
    await this.checks.until(`a button "${name}" on the page`, look, (count) => count > 0, 'at least 1');
  }

  /** The page shows this text somewhere. */
  async reads(text) {
    const look = () => this.stage.page.locator('#root').innerText();
    await this.checks.until('the page reads', look, (seen) => seen.includes(text), text);
  }

  /** Something has gone over the wire, or will soon; gives it. */
  async wire(claim, look, expected = 'one such exchange') {
    return this.checks.until(claim, look, (seen) => seen !== undefined && seen !== false, expected);
  }

  /** The messages that came to the bot, once there are `count` of them. */
  async heardMessages(count) {
    const look = () => this.heard('message');
    const enough = (seen) => seen.length === count;
    return this.checks.until('messages that came to the bot', look, enough, `${count} of them`);
  }

  /** The last of them. */
  async heardMessage(count) {
    return (await this.heardMessages(count)).at(-1);
  }

  /** What holds in every scene when it is over. */
  async ends() {
    await this.settles();
    const { toBot, fromBot, errors } = this.stage;
    const isBad = (one) => one.status >= 300 && one.method !== 'HEAD';
    const bad = [...toBot, ...fromBot].filter(isBad).map((one) => `${one.method} ${one.status}`);
    this.checks.now('requests that somebody refused', bad, this.refusals);
    this.checks.now('errors in the page', errors, []);
    const ids = fromBot.filter((one) => one.method === 'POST').map((one) => one.answered?.id);
    const twice = ids.filter((id, at) => id !== undefined && ids.indexOf(id) !== at);
    this.checks.now('messages that the Playground was given twice', twice, []);
  }
}

function fits(text, expected) {
  return expected instanceof RegExp ? expected.test(text) : text === expected;
}
