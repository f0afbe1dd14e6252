// Plays the scenes, one after the other, and tells how they went.
//
//   node main.mjs --bots DIR --modules DIR --out DIR [scene ...]
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { Checks, Failed } from './checks.mjs';
import { Scene } from './scene.mjs';
import { accepts } from './sdk.mjs';
import { enter } from './stage.mjs';

// Far more than any scene takes: it is there for one that hangs.
const SCENE_MS_MAX = 180_000;
const string = { type: 'string' };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { bots: string, modules: string, out: string, list: { type: 'boolean' } },
});

const scenes = await load();
if (values.list) {
  for (const { name, bot, channel } of scenes) console.log(`${name.padEnd(30)} ${bot}, ${channel}`);
  process.exit(0);
}
const chosen = choose(scenes, positionals);
const require = createRequire(path.join(values.modules, 'x.js'));
const began = Date.now();
// It is the first process of its namespace, which no signal ends by itself; with it all the others end.
process.on('SIGTERM', () => process.exit(143));
const browser = await require('playwright-core').chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // The namespace around it is its sandbox, and it meets pages of the loopback only.
  args: ['--no-sandbox', '--disable-gpu'],
});
const results = [];
const sent = [];
for (const scene of chosen) results.push(await play(scene));
await browser.close();
results.push(await ask());

const failed = results.filter((result) => result.error);
const total = results.reduce((sum, result) => sum + result.checks, 0);
const seconds = ((Date.now() - began) / 1000).toFixed(0);
console.log(
  `\n${chosen.length} scenes, ${sent.length} activities, ${total} checks, ${failed.length} failed, ${seconds} s; pictures in ${values.out}`,
);
process.exit(failed.length === 0 ? 0 : 1);

/** All scenes, in the order of their files. */
async function load() {
  const folder = new URL('scenes/', import.meta.url);
  const files = fs.readdirSync(folder).sort();
  const modules = await Promise.all(files.map((file) => import(new URL(file, folder))));
  return modules.flatMap((module) => module.scenes);
}

/** The scenes whose names begin with one of these, or all of them. */
function choose(all, names) {
  const chosen = all.filter((one) => names.length === 0 || names.some((name) => one.name.startsWith(name)));
  if (chosen.length > 0) return chosen;
  console.error(`no scene is called ${names.join(' or ')}; --list names them all`);
  process.exit(2);
}

async function play(scene) {
  const checks = new Checks();
  const pictureFile = (...parts) => path.join(values.out, `${[scene.name, ...parts].join('-')}.png`);
  const picture = (...parts) => stage.page.screenshot({ path: pictureFile(...parts) });
  const folder = path.join(values.out, 'logs', scene.name);
  const began = Date.now();
  let stage, error;
  try {
    stage = await enter(scene, { ...values, browser, folder });
    const play = new Scene(stage, checks, picture, scene);
    await bounded(act(scene, play));
    sent.push(...play.everythingSent());
  } catch (problem) {
    error = words(problem);
  }
  // Whatever goes wrong here, the other scenes are played all the same.
  const fails = (problem) => (error ??= words(problem));
  if (stage) await picture().catch(fails);
  await stage?.leave().catch(fails);
  return tell(scene.name, began, checks, error && `${error}\n  picture:  ${pictureFile()}\n  logs:     ${folder}`);
}

/** Whether the JavaScript SDK takes what was sent. */
async function ask() {
  const checks = new Checks();
  const began = Date.now();
  let error;
  try {
    await accepts(require, sent, checks);
  } catch (problem) {
    error = words(problem);
  }
  return tell('(botbuilder takes it all)', began, checks, error);
}

function words(problem) {
  return problem instanceof Failed ? problem.message : problem.stack;
}

function tell(name, began, checks, error) {
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${error ? 'FAILED' : 'ok    '} ${name.padEnd(30)} ${checks.count} checks, ${seconds} s`);
  if (error) console.log(`  ${error}`);
  return { checks: checks.count, error };
}

async function act(scene, play) {
  if (!scene.isBlank) await play.face.ready();
  await scene.play(play);
  await play.ends();
}

function bounded(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Failed(`the scene took more than ${SCENE_MS_MAX} ms`)), SCENE_MS_MAX);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
