// Classic faults: the limiter with a few characters changed.

import { readFileSync } from "node:fs";

const source = readFileSync(new URL("limiter.mjs", import.meta.url), "utf8");

const changes = {
  // The window is one tick too long: its end still belongs to it.
  "resets-late": ["now >= open.resetAt", "now > open.resetAt"],
  // What was denied is counted, so that a cheaper request is denied too.
  "counts-denials": ['return { expect: "deny"', 'open.count += cost;\n      return { expect: "deny"'],
  // The client is told to wait for a whole window, whenever it ends.
  "waits-too-long": ["retryAfter: open.resetAt - now", "retryAfter: this.window"],
};

export const faults = Object.keys(changes);

// The limiter with this fault, or without one.
export async function limiterWith(fault) {
  let code = source;
  if (fault !== undefined) {
    const [right, wrong] = changes[fault] ?? fail(`there is no fault ${fault}; there are ${faults.join(", ")}`);
    code = source.replace(right, wrong);
    code !== source || fail(`limiter.mjs has no ${right}`);
  }
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).FixedWindow;
}

function fail(message) {
  throw new Error(message);
}
