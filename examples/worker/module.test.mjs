// The module itself: how large it is, what it needs, and what it does with arguments and bytes that are wrong.
//
//     ./build && node --test

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { fromMillis, PolicyError, StateError, toMillisCeil, Tollgate } from "./tollgate.mjs";

const bytes = readFileSync(new URL("target/tollgate.wasm", import.meta.url));
const module = new WebAssembly.Module(bytes);
const tollgate = new Tollgate(module);
const LAST = 2n ** 63n - 1n;

test("it imports nothing: no clock, no memory, no allocator, nothing to panic with", () => {
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  assert.ok(!bytes.includes("panicked at"), "a message of a panic");
  assert.ok(!bytes.includes("library/core"), "the place of one");
});

test("it stays below 48 KiB, and 22 with gzip", () => {
  assert.ok(bytes.length < 48 * 1024, `${bytes.length}`);
  assert.ok(gzipSync(bytes).length < 22 * 1024, `${gzipSync(bytes).length}`);
});

test("a policy that is none says why where it is built", () => {
  const wrong = [
    ["sliding-log", "100 per minute", /written QUOTA\/WINDOW/],
    ["sliding-log", "0/60s", /the quota/],
    ["sliding-log", "10/60s,burst=5", /no options/],
    ["token-bucket", "10/60s,burst=0", /the burst/],
    ["fixed-window", "10/200000d", /the window is 17280000000000000000 ns; it must be 1 to 4611686018427387904 ns/],
    ["leaky-bucket", "10/60s", /is a fixed-window, a sliding-log or a token-bucket/],
  ];
  for (const [kind, text, message] of wrong) {
    assert.throws(() => tollgate.policy(kind, text), (error) => error instanceof PolicyError && message.test(error.message));
  }
  assert.throws(() => tollgate.policy("sliding-log", "1/1s", "größe"), /byte 2 of the name is 0xC3/);
  assert.throws(() => tollgate.policy("sliding-log", "1/1s", "n".repeat(20_000)), RangeError);
  assert.throws(() => tollgate.policy("sliding-log", "1/1s", "n".repeat(16_370)), /more than the 16384 bytes/);
});

test("costs and times are what they are, and nothing near to it", () => {
  const policy = tollgate.policy("token-bucket", "4294967295/1s");
  for (const cost of [-1, 0.5, 2 ** 32, NaN, "1", undefined]) {
    assert.throws(() => policy.check(undefined, cost, 0n), RangeError, `${cost}`);
  }
  for (const time of [-1n, 2n ** 63n]) assert.throws(() => policy.check(undefined, 1, time), RangeError, `${time}`);
  assert.throws(() => policy.check(undefined, 1, 1_700_000_000), TypeError);
  assert.equal(policy.check(undefined, 2 ** 32 - 1, 0n).remaining, 0);

  const odd = 2n ** 53n + 1n;
  const window = tollgate.policy("fixed-window", "1/1ns");
  assert.equal(window.check(undefined, 1, odd).expiresAt, odd + 1n);
  assert.equal(window.check(undefined, 1, LAST).expiresAt, LAST);
  assert.equal(fromMillis(Number.MAX_SAFE_INTEGER), 9007199254740991_000_000n);
  assert.deepEqual([0n, 1n, 1_000_000n, LAST].map(toMillisCeil), [0, 1, 1, 9223372036855]);
});

test("what is no state is not taken for a key that is new", () => {
  const policy = tollgate.policy("fixed-window", "1/60s");
  const { state } = policy.check(undefined, 1, 0n);
  for (const other of [null, state.buffer, [...state], "state"]) {
    assert.throws(() => policy.check(other, 1, 0n), TypeError);
  }
  for (const [other, message] of [
    [state.slice(0, 0), /cut short/],
    [state.slice(0, 12), /there are 12 bytes; the state takes at least 13/],
    [Uint8Array.of(...state, 0), /the last 1 come after the state/],
    [tollgate.policy("token-bucket", "1/60s").check(undefined, 1, 0n).state, /0x13 \(a token bucket, version 1\); it must be 0x11/],
  ]) {
    assert.throws(() => policy.check(other, 1, 0n), (error) => error instanceof StateError && message.test(error.message));
  }
});

test("a look, a denial and a cost of nothing give no state to keep", () => {
  const policy = tollgate.policy("sliding-log", "1/60s");
  const { state } = policy.check(undefined, 1, 0n);
  assert.ok(state instanceof Uint8Array);
  const answers = [
    policy.check(state, 1, 1n),
    policy.check(state, 2, 1n),
    policy.check(undefined, 0, 1n),
    policy.peek(undefined, 1, 1n),
    policy.charge(state, 0, 1n),
    policy.refund(undefined, 1, 1n),
    policy.status(state, 1n),
  ];
  assert.deepEqual(answers.map(({ state }) => state), answers.map(() => undefined));
  assert.deepEqual(answers.map(({ decision }) => decision), ["deny", "never", "allow", "allow", "allow", "allow", "allow"]);
});

test("a log that is full denies until its oldest admission expires", () => {
  const policy = tollgate.policy("sliding-log", "5000/60s");
  let state;
  for (let at = 0n; at < 1024n; at += 1n) ({ state } = policy.check(state, 1, at));
  assert.equal(state.length, 13 + 12 * 1024);
  const denied = policy.check(state, 1, 1024n);
  assert.deepEqual([denied.decision, denied.retryAfter, denied.remaining], ["deny", 60_000_000_000n - 1024n, 0]);
  assert.equal(policy.check(state, 1, 60_000_000_000n).decision, "allow");
});

test("bytes that are no state are an error, and any others a state that answers", () => {
  const policies = [
    ["fixed-window", 1],
    ["sliding-log", 2],
    ["token-bucket", 3],
  ].map(([kind, code]) => [tollgate.policy(kind, "3/10ns"), code]);
  // Any will do, as long as it is the same in each run.
  let seed = 1;
  const random = (below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  let [read, refused] = [0, 0];
  for (let round = 0; round < 20_000; round++) {
    const [policy, code] = policies[round % 3];
    // Small numbers, so that some are those of a state.
    const bytes = Uint8Array.from({ length: [13, 25 - 12 * random(2), 25][round % 3] }, () => random(2));
    bytes[0] = 0x10 | code;
    if (random(8) === 0) bytes[random(bytes.length)] = random(256);
    try {
      const { remaining, limit } = policy.check(bytes, 1, BigInt(random(40)));
      assert.ok(limit === 3 && remaining <= limit);
      read += 1;
    } catch (error) {
      assert.ok(error instanceof StateError, `${error}`);
      assert.notEqual(error.message, "");
      refused += 1;
    }
  }
  assert.ok(read > 1000 && refused > 1000, `${read} were read, ${refused} refused`);
});
