// The worker, its objects and their storage. What the policies answer is in vectors.test.mjs.
//
//     ./build && node --test

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, mock, test } from "node:test";

import { limiterOf, SKEW } from "./limiter.mjs";
import { Namespace } from "./runtime.mjs";
import { fromMillis, toMillisCeil, Tollgate } from "./tollgate.mjs";
import worker from "./worker.mjs";

const file = (name) => readFileSync(new URL(name, import.meta.url));
const module = new WebAssembly.Module(file("target/tollgate.wasm"));
const tollgate = new Tollgate(module);
const SECOND = 1_000_000_000n;
const START = fromMillis(1_700_000_000_000);

let now;
let complaints;
beforeEach(() => {
  now = START;
  complaints = mock.method(console, "error", () => {}).mock;
});
afterEach(() => mock.restoreAll());

const objectsOf = (kind, text, options) =>
  new Namespace(limiterOf(tollgate.policy(kind, text, "minute"), () => now), options);

function ask(env, { method = "GET", from = "203.0.113.9" } = {}) {
  return worker.fetch(new Request("https://shop.example/tea", { method, headers: { "cf-connecting-ip": from } }), env);
}

/** How many of so many simultaneous requests pass. */
async function passed(env, requests) {
  const responses = await Promise.all(Array.from({ length: requests }, () => ask(env)));
  return responses.filter(({ status }) => status === 200).length;
}

test("what passes carries how the caller stands, and what does not says when to come back", async () => {
  const env = { LIMITER: objectsOf("sliding-log", "2/60s") };
  const first = await ask(env);
  assert.equal(first.status, 200);
  assert.deepEqual(await first.json(), { path: "/tea" });
  assert.equal(first.headers.get("ratelimit-policy"), '"minute";q=2;w=60');
  assert.equal(first.headers.get("ratelimit"), '"minute";r=1;t=60');
  assert.equal(first.headers.get("retry-after"), null);

  now += 26n * SECOND + 600_000_000n;
  assert.equal((await ask(env)).headers.get("ratelimit"), '"minute";r=0;t=34');
  const denied = await ask(env);
  assert.equal(denied.status, 429);
  assert.equal(denied.headers.get("retry-after"), "34");
  assert.equal(denied.headers.get("ratelimit"), '"minute";r=0;t=34');
  assert.equal(denied.headers.get("content-type"), "application/problem+json");
  assert.deepEqual(await denied.json(), {
    type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
    title: "Request cannot be satisfied as assigned quota has been exceeded",
    "violated-policies": ["minute"],
  });

  now = START + 60n * SECOND - 1n;
  assert.equal((await ask(env)).status, 429);
  now += 1n;
  assert.equal((await ask(env)).status, 200);
});

test("each key has a quota of its own", async () => {
  const env = { LIMITER: objectsOf("fixed-window", "1/60s") };
  const statuses = [];
  for (const from of ["192.0.2.1", "192.0.2.1", "192.0.2.2"]) statuses.push((await ask(env, { from })).status);
  assert.deepEqual(statuses, [200, 429, 200]);
});

test("a write costs five, and one that costs more than the limit is told so and never to come back", async () => {
  const env = { LIMITER: objectsOf("token-bucket", "6/60s") };
  assert.equal((await ask(env, { method: "POST" })).headers.get("ratelimit"), '"minute";r=1;t=10');
  assert.equal((await ask(env, { method: "POST" })).headers.get("retry-after"), "40");
  const never = await ask({ LIMITER: objectsOf("token-bucket", "4/60s") }, { method: "POST" });
  assert.equal(never.status, 400);
  assert.equal(never.headers.get("retry-after"), null);
});

test("simultaneous requests of one key never pass beyond its quota", async () => {
  for (const kind of ["fixed-window", "sliding-log", "token-bucket"]) {
    assert.equal(await passed({ LIMITER: objectsOf(kind, "10/60s") }, 50), 10, kind);
  }
});

test("without the input gate they do, so the gate is what it takes", async () => {
  assert.equal(await passed({ LIMITER: objectsOf("fixed-window", "10/60s", { hasGates: false }) }, 50), 50);
});

test("an object that was dropped goes on where it was", async () => {
  const env = { LIMITER: objectsOf("sliding-log", "3/60s") };
  assert.equal(await passed(env, 2), 2);
  env.LIMITER.evict();
  assert.equal(await passed(env, 2), 1);
});

test("a denial writes nothing", async () => {
  const env = { LIMITER: objectsOf("token-bucket", "2/60s") };
  await passed(env, 2);
  const { writes } = env.LIMITER;
  assert.equal(writes, 3, "two states and an alarm");
  assert.equal(await passed(env, 5), 0);
  assert.equal(env.LIMITER.writes, writes);
});

test("a key is forgotten when it has expired for every clock, and kept if it was used since", async () => {
  const env = { LIMITER: objectsOf("fixed-window", "5/60s") };
  const keys = () => env.LIMITER.stored("203.0.113.9").size;
  const alarmsAt = async (time) => {
    now = time;
    await env.LIMITER.runAlarms(toMillisCeil(now));
  };
  await ask(env);
  const first = START + 60n * SECOND + SKEW;
  await alarmsAt(first - fromMillis(1));
  assert.equal(keys(), 1, "no alarm is due");
  await ask(env);
  await alarmsAt(first);
  assert.equal(keys(), 1, "it was used since");
  const second = first - fromMillis(1) + 60n * SECOND + SKEW;
  await alarmsAt(second - fromMillis(1));
  assert.equal(keys(), 1, "a clock that is behind may still need it");
  await alarmsAt(second);
  assert.equal(keys(), 0);
  assert.equal((await ask(env)).headers.get("ratelimit"), '"minute";r=4;t=60');
});

test("an alarm that fails is called again", async () => {
  const env = { LIMITER: objectsOf("fixed-window", "5/60s") };
  await ask(env);
  now += 60n * SECOND + SKEW;
  env.LIMITER.isBroken = true;
  await env.LIMITER.runAlarms(toMillisCeil(now));
  assert.equal(env.LIMITER.stored("203.0.113.9").size, 1);
  env.LIMITER.isBroken = false;
  await env.LIMITER.runAlarms(toMillisCeil(now));
  assert.equal(env.LIMITER.stored("203.0.113.9").size, 0);
});

test("while storage is gone, requests pass or not as the worker chooses, and none is counted", async () => {
  const LIMITER = objectsOf("fixed-window", "1/60s");
  LIMITER.isBroken = true;
  const open = await ask({ LIMITER, WHEN_BROKEN: "open" });
  assert.deepEqual([open.status, open.headers.get("ratelimit")], [200, null]);
  assert.equal((await ask({ LIMITER, WHEN_BROKEN: "closed" })).status, 503);
  assert.equal((await ask({ LIMITER })).status, 503);
  assert.equal(complaints.callCount(), 3);
  LIMITER.isBroken = false;
  assert.equal(await passed({ LIMITER }, 2), 1);
});

test("a state that was damaged is reported, not trusted, and left as it is", async () => {
  const LIMITER = objectsOf("fixed-window", "1/60s");
  await ask({ LIMITER });
  const stored = LIMITER.stored("203.0.113.9");
  const damaged = stored.get("state").fill(0, 1, 9);
  stored.set("state", damaged);
  assert.equal((await ask({ LIMITER })).status, 503);
  assert.match(complaints.calls[0].arguments[0], /the limiter of 203\.0\.113\.9 does not answer: .* `used` is 1; .* do not trust it/);
  assert.deepEqual(stored.get("state"), damaged);
});

test("the lines that the README has to copy are such an object", async () => {
  const [, lines] = file("README.md").toString().match(/```js\n(.*?)```/s);
  const code = lines.replaceAll(/^import .*\n/gm, "").replace("export class", "return class");
  const clock = { now: () => 1_700_000_000_000 };
  const Limiter = new Function("module", "Tollgate", "fromMillis", "Date", code)(module, Tollgate, fromMillis, clock);
  const env = { LIMITER: new Namespace(Limiter) };
  assert.equal(await passed(env, 101), 100);
  assert.equal((await ask(env)).headers.get("retry-after"), "60");
});
