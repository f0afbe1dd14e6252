// Programs that are started and ended again, each by its own id, and the ports they open.
import { spawn } from 'node:child_process';
import fs from 'node:fs';

/** Starts a program whose output goes to a file, and gives a handle that ends it. */
export function start(command, args, { folder, log, env = {} }) {
  const output = fs.openSync(log, 'w');
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
  });
  fs.closeSync(output);
  const ended = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
    child.once('error', (error) => resolve(error.message));
  });
  return { ended, stop: () => stop(child, ended) };
}

/** Asks nicely, and ends it for good when it does not go within three seconds. Gives how it ended. */
async function stop(child, ended) {
  const last = setTimeout(() => child.kill('SIGKILL'), 3000);
  child.kill('SIGTERM');
  const how = await ended;
  clearTimeout(last);
  return how;
}

/** Waits until a program answers on a port of the loopback; fails when it ends first, or after 20 seconds. */
export async function answering(port, program, name) {
  let end;
  program.ended.then((how) => (end = how));
  for (let tries = 0; tries < 200; tries++) {
    if (end !== undefined) throw new Error(`${name} ended at once: ${end}`);
    // A port that is open is not enough: some try it out before they serve it.
    if (await answers(port)) return;
    await pause(100);
  }
  throw new Error(`${name} did not answer on port ${port} within 20 seconds`);
}

async function answers(port) {
  try {
    await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) });
    return true;
  } catch {
    return false;
  }
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
