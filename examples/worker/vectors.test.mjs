// The policy vectors, whose answers are those of the crate as it runs natively, through the module.
//
//     ./build --tests && node --test

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { PolicyError, Tollgate } from "./tollgate.mjs";

const file = (name) => readFileSync(new URL(name, import.meta.url));
const module = (name) => new Tollgate(new WebAssembly.Module(file(`target/${name}.wasm`)));
const [tollgate, smallLogs] = [module("tollgate"), module("small-logs")];

// Exact, as the vectors' README has it for a reader without `source`.
const text = file("../../tests/vectors/policies.json").toString().replace(/\d{16,}/g, '"$&"');
const { vectors } = JSON.parse(text, (name, value) => (name.endsWith("_ns") ? BigInt(value) : value));

function policyText({ kind, quota, window_ns, burst, refill, aligned, origin_ns = 0n }) {
  const options = [
    burst === undefined ? [] : `burst=${burst}`,
    refill === "interval" ? `interval=${origin_ns}ns` : [],
    aligned ? `aligned=${origin_ns}ns` : [],
  ];
  return [`${quota}/${window_ns}ns`, ...options.flat()].join(",");
}

/** Keys and their states, as a store of the crate keeps them: with a horizon, and room for so many keys. */
class Store {
  horizon = 0n;
  #states = new Map();
  #slots;

  constructor(slots = Infinity) {
    this.#slots = slots;
  }

  get size() {
    return this.#states.size;
  }

  get(key) {
    return this.#states.get(key);
  }

  /** The time to read: a key that is not there, or has expired, is read at the horizon or later. */
  readAt(policy, key, now) {
    const state = this.#states.get(key);
    return now < this.horizon && (state === undefined || policy.isExpired(state, now)) ? this.horizon : now;
  }

  /** Keeps a state, and says whether there is room for it. */
  set(policy, key, state, now) {
    if (!this.#states.has(key) && this.size >= this.#slots) {
      const expired = [...this.#states.keys()].find((key) => policy.isExpired(this.#states.get(key), now));
      if (expired === undefined) return false;
      this.#forget(policy, expired);
    }
    this.#states.set(key, state);
    return true;
  }

  prune(policy, now) {
    const expired = [...this.#states].filter(([, state]) => policy.isExpired(state, now));
    for (const [key] of expired) this.#forget(policy, key);
    return expired.length;
  }

  #forget(policy, key) {
    const { expiresAt } = policy.status(this.#states.get(key), 0n);
    if (expiresAt > this.horizon) this.horizon = expiresAt;
    this.#states.delete(key);
  }
}

/** What is answered to a step, as the vectors write it. */
function answer(policy, store, { op = "check", key = "", cost = 0, at_ns }) {
  const state = store.get(key);
  const read = store.readAt(policy, key, at_ns);
  // Waits are counted from the caller's time.
  const wait = (nanos) => (nanos === 0n ? 0n : nanos + (read - at_ns));
  const remaining = () => policy.status(store.get(key), store.readAt(policy, key, at_ns)).remaining;
  const keep = ({ state }) => state === undefined || store.set(policy, key, state, read);
  const judged = (answer) => {
    if (answer.decision === "deny") return { expect: "deny", retry_after_ns: wait(answer.retryAfter) };
    if (answer.decision === "never") return { expect: "never" };
    return keep(answer) ? { expect: "allow", remaining: answer.remaining } : { expect: "full" };
  };
  switch (op) {
    case "check":
      return judged(policy.check(state, cost, read));
    case "peek":
      return judged(policy.peek(state, cost, read));
    case "charge":
      return keep(policy.charge(state, cost, read)) ? { expect: "done", remaining: remaining() } : { expect: "full" };
    case "refund":
      if (state !== undefined) keep(policy.refund(state, cost, at_ns));
      return { expect: "done", remaining: remaining() };
    case "status": {
      const { limit, remaining, growsIn, fullIn } = policy.status(state, read);
      return { limit, remaining, grows_in_ns: wait(growsIn), full_in_ns: wait(fullIn) };
    }
    case "expired":
      return { expect: state === undefined || policy.isExpired(state, at_ns) ? "yes" : "no" };
    case "prune":
      return { dropped: store.prune(policy, at_ns), horizon_ns: store.horizon };
    case "keys":
      return { keys: store.size };
  }
}

const errors = { "zero-quota": /the quota/, "zero-burst": /the burst/, window: /the window is/, fill: /an empty bucket/ };

for (const { name, why, policy, capacity, slots, policy_error, steps } of vectors) {
  test(name, () => {
    // A log of some capacity is a kind of its own.
    const [from, kind] = capacity === undefined ? [tollgate] : [smallLogs, 2 | (capacity << 8)];
    const built = (policy) => from.policy(kind ?? policy.kind, policyText(policy));
    if (policy_error !== undefined) {
      assert.throws(() => built(policy), (error) => error instanceof PolicyError && errors[policy_error].test(error.message));
      return;
    }
    const store = new Store(slots);
    let current = built(policy);
    for (const [index, step] of steps.entries()) {
      const { at_ns, key, policy, op, cost, note, ...expected } = step;
      if (policy !== undefined) current = built(policy);
      assert.deepEqual(answer(current, store, step), expected, `step ${index}: ${why}`);
    }
  });
}

test("every vector has run", () => {
  const asked = new Set(vectors.flatMap(({ steps = [] }) => steps.map(({ op = "check" }) => op)));
  assert.deepEqual([...asked].sort(), ["charge", "check", "expired", "keys", "peek", "prune", "refund", "status"]);
  assert.ok(vectors.length > 250);
});
