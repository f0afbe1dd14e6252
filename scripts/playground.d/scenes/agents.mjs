// The mode `agents` shows nothing: the page's own script fails before it draws anything (seen with version 0.2.28). The
// bot is asked whether it is there, and hears no more. The scene is here to tell when that changes.

const agents = {
  name: 'agents',
  bot: 'echo',
  channel: 'agents',
  isBlank: true,
  async play(scene) {
    await scene.wire('the bot is asked whether it is there', () => scene.stage.toBot[0]);
    scene.checks.now('how', scene.stage.toBot[0].method, 'HEAD');
    const look = () => scene.stage.page.locator('#root').innerText();
    await scene.checks.until('the page is blank', look, (text) => text.trim() === '', '');
  },
};

export const scenes = [agents];
