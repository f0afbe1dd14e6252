// Checks: each waits for something to be so, and says what was expected and what was seen instead when it is not.
import { pause } from './processes.mjs';

const PATIENCE_MS = 10_000;
const STEP_MS = 100;

/** A check that failed. Everything else that a scene throws is a fault of the driver. */
export class Failed extends Error {}

export class Checks {
  count = 0;

  /** Waits until `look` gives something of which `is` holds, and gives that. */
  async until(claim, look, is, expected) {
    const seen = await waitFor(claim, look, is, expected);
    this.count += 1;
    return seen;
  }

  /** What must be so now, because everything that could change it has happened. */
  now(claim, seen, expected) {
    if (!same(seen, expected)) {
      throw new Failed(`${claim}\n  expected: ${show(expected)}\n  seen:     ${show(seen)}`);
    }
    this.count += 1;
  }
}

/** The same for what is no check of its own, only a moment that has to come. */
export async function waitFor(claim, look, is, expected) {
  const end = Date.now() + PATIENCE_MS;
  let seen;
  do {
    seen = await look();
    if (is(seen)) return seen;
    await pause(STEP_MS);
  } while (Date.now() < end);
  throw new Failed(`${claim}\n  expected: ${show(expected)}\n  seen:     ${show(seen)}`);
}

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A value in words, the beginning of it when it is long: all of it is in the logs. */
function show(value) {
  const words = JSON.stringify(value, (_, part) => (part instanceof RegExp ? String(part) : part));
  return words?.length > 1500 ? `${words.slice(0, 1500)} ...` : words;
}
