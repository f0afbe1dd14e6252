// The two faces of the Playground, driven alike: one that looks like Teams, and Web Chat.
//
// They are found by their roles and labels, as somebody who cannot see finds them. The bubbles of the Teams face have none:
// they are found by the class of the component library that draws them.
import { waitFor } from './checks.mjs';

/** What the tool asks for in a form before it makes it up. All else it shows in an editor, ready to be sent. */
const FORMS = ['Send email', 'Mention in Word'];

/** The face that a channel mode shows. */
export function face(page, channel) {
  return ['directline', 'webchat'].includes(channel) ? new WebChatFace(page) : new TeamsFace(page);
}

class Face {
  constructor(page) {
    this.page = page;
  }

  /** Until there is something to type into. */
  async ready() {
    await this.box.waitFor({ timeout: 20_000 });
  }

  /** The buttons of a name, in cards and beneath the messages. */
  buttons(name) {
    return this.chat.getByRole('button', { name, exact: true });
  }

  /** Presses the newest button of a name. */
  async press(name) {
    await this.buttons(name).last().click({ timeout: 5000 });
  }

  /** Writes into the newest field of that label in a card. */
  async fill(label, text) {
    await this.chat.getByRole('textbox', { name: label }).last().fill(text, { timeout: 5000 });
  }

  /** Whether the page shows now that the bot is typing. */
  isTyping() {
    return this.page.evaluate(`(function ${this.typing})()`);
  }

  /** Whether it shows that for a moment, however short, within ten seconds: it is looked at whenever it is drawn. */
  async seesTyping() {
    const look = this.page.waitForFunction(`(function ${this.typing})()`, undefined, { timeout: 10_000 });
    return look.then(() => true).catch((error) => {
      if (error.name !== 'TimeoutError') throw error;
      return false;
    });
  }

  /** The activities that the tool can make up here and now. */
  async mocks() {
    await this.page.getByRole('button', { name: 'Mock an Activity' }).click();
    const items = this.page.locator('[role=menuitem]:not([aria-disabled=true])');
    await items.first().waitFor({ timeout: 5000 });
    const names = await items.allInnerTexts();
    await this.page.keyboard.press('Escape');
    // The button would only close a menu that is still open.
    await items.first().waitFor({ state: 'detached', timeout: 5000 });
    return names;
  }

  /** Sends one of them, with something in each field that may not be empty. */
  async mock(name) {
    await this.page.getByRole('button', { name: 'Mock an Activity' }).click();
    await this.page.getByRole('menuitem').getByText(name, { exact: true }).click({ timeout: 5000 });
    const dialog = this.page.getByRole('dialog').filter({ hasText: 'Send activity' });
    // It opens with an empty editor, even where a form is to be, and asks its server for the activity. Sent before that
    // has come, it is empty, and no bot hears it; a form that comes after its fields were looked for is refused.
    const fields = dialog.locator('input[type=text]');
    const words = dialog.locator('.monaco-editor .view-line').filter({ hasText: '{' });
    await (FORMS.includes(name) ? fields : words).first().waitFor({ timeout: 10_000 });
    for (const field of await fields.all()) await field.fill('a@example.org');
    await dialog.getByRole('button', { name: 'Send activity' }).click({ timeout: 5000 });
    // The next one must not be taken for this one while it fades.
    await dialog.waitFor({ state: 'detached', timeout: 10_000 });
  }
}

class TeamsFace extends Face {
  box = this.page.locator('[role=textbox][contenteditable=true]').last();
  chat = this.page.locator('#root');

  async say(text) {
    await this.box.click();
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Enter');
  }

  /** Says something to the bot in a chat of many, where it hears only what names it. */
  async mention(bot, text) {
    await this.box.click();
    await this.page.keyboard.type(`@${bot.split(' ')[0]}`, { delay: 100 });
    const offers = this.page.getByRole('listbox', { name: 'Typeahead menu' }).getByRole('menuitem');
    // They come half a second after each key. Until all others are gone, this one moves.
    const isAlone = (seen) => seen.length === 1 && seen[0].trim() === bot;
    await waitFor('who can be mentioned', () => offers.allInnerTexts(), isAlone, [bot]);
    await offers.click({ timeout: 5000 });
    await this.page.keyboard.type(` ${text}`);
    await this.page.keyboard.press('Enter');
  }

  /** Opens another chat of the list on the left. */
  async open(name) {
    await this.page.getByRole('treeitem', { name }).click();
  }

  /** What the bot has said, a text for each bubble, from the first to the last. */
  bubbles() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.fai-OutputCard')].map((bubble) => bubble.innerText.trim()),
    );
  }

  /** In the page: whether the bot's picture stands below the last bubble, where the dots go up and down. */
  typing() {
    const pictures = [...document.querySelectorAll('[role=img][aria-label="Test Bot"]')];
    const picture = pictures.filter((one) => !one.closest('[role=tree]')).at(-1);
    const bubble = [...document.querySelectorAll('.fai-OutputCard')].at(-1);
    if (!picture || !bubble) return Boolean(picture);
    return Boolean(bubble.compareDocumentPosition(picture) & Node.DOCUMENT_POSITION_FOLLOWING);
  }
}

class WebChatFace extends Face {
  box = this.page.getByRole('textbox', { name: 'Message input box' });
  // Not the whole of it: the button beside the box is called "Send", as a button of a card may be.
  chat = this.page.getByRole('complementary').locator('[role=feed], [role=toolbar]');

  async say(text) {
    await this.box.fill(text);
    await this.page.keyboard.press('Enter');
  }

  bubbles() {
    // Each article says in words for the ear who spoke; what the bot said is what remains without them.
    return this.page.evaluate(() =>
      [...document.querySelectorAll('[role=feed] > article')]
        .map((article) => article.querySelector('[role=group]'))
        .filter((group) => group && /^\s*Bot (said|attached):/.test(group.textContent))
        .map((group) => group.innerText.replace(/^\s*Bot (said|attached):/, '').trim()),
    );
  }

  /** In the page: what it says of the dots to the ear. */
  typing() {
    return document.body.textContent.includes('Showing typing indicator');
  }
}
