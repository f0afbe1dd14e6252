// Everything a scene plays on: one bot, the Playground, a browser page, and what goes over the wire between them.
//
// The ports are fixed. The whole tier runs in a network namespace of its own, so nothing else has them.
import fs from 'node:fs';
import path from 'node:path';

import { answering, start } from './processes.mjs';
import { wire } from './wire.mjs';

const PORT = { bot: 3978, toBot: 3979, playground: 56150, fromBot: 56151 };

/** Starts it all; `leave` ends it all. Logs and the bot's store stay in `folder`. */
export async function enter({ bot, channel, delivery }, { bots, modules, browser, folder }) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const file = (name) => path.join(folder, name);
  const open = [];
  const leave = async () => {
    const problems = [];
    for (const close of open.reverse()) {
      // What cannot be ended must not keep the rest, and its ports, for the next scene.
      await Promise.resolve().then(close).catch((problem) => problems.push(problem));
    }
    if (problems.length > 0) throw problems[0];
  };
  try {
    let program;
    const run = async (log) => {
      program = start(path.join(bots, bot), [], { folder, log: file(log) });
      await answering(PORT.bot, program, `the bot ${bot}`);
    };
    const restart = async () => {
      await program.stop();
      await run('bot-again.log');
    };
    open.push(() => program?.stop());
    await run('bot.log');
    const toBot = await wire(PORT.toBot, PORT.bot, file('to-bot.jsonl'));
    open.push(toBot.close);
    const fromBot = await wire(PORT.fromBot, PORT.playground, file('from-bot.jsonl'));
    open.push(fromBot.close);
    const playground = start(process.execPath, command(modules, channel, delivery), {
      folder,
      log: file('playground.log'),
      // It would open a browser of its own.
      env: { BROWSER: '/bin/true' },
    });
    open.push(playground.stop);
    await answering(PORT.playground, playground, 'the Playground');

    const context = await browser.newContext({ viewport: { width: 1280, height: 820 } });
    open.push(() => context.close());
    const page = await context.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`http://127.0.0.1:${PORT.playground}/`);
    const underWay = () => toBot.open() + fromBot.open();
    return { page, errors, toBot: toBot.exchanges, fromBot: fromBot.exchanges, underWay, restart, leave };
  } catch (error) {
    await leave().catch(() => {});
    throw error;
  }
}

function command(modules, channel, delivery) {
  const program = path.join(modules, '@microsoft/m365agentsplayground/cli.js');
  return [
    program,
    'start',
    ...['--app-endpoint', `http://127.0.0.1:${PORT.toBot}/api/messages`],
    ...['--channel-id', channel],
    ...['--port', PORT.playground],
    ...['--service-url', `http://127.0.0.1:${PORT.fromBot}/_connector`],
    ...(delivery ? ['--delivery-mode', delivery] : []),
    '--disable-telemetry',
  ];
}
