// tollgate for JavaScript: policies that judge a state, which is bytes or `undefined`, at a time, which is a `BigInt` of nanoseconds.
//
// The other side of `src/lib.rs`, which says what is in the buffer. Neither side remembers anything but the policies.

/** The bytes of an answer's numbers. */
const HEAD = 48;

const KINDS = { "fixed-window": 1, "sliding-log": 2, "token-bucket": 3 };

/** A policy, or its name, that is none. */
export class PolicyError extends Error {}

/** Bytes that no policy of this kind has left: damaged, of another kind, or of a later version. Not to be trusted. */
export class StateError extends Error {}

/** Milliseconds, as JavaScript's clocks have them, in nanoseconds. */
export const fromMillis = (millis) => BigInt(millis) * 1_000_000n;

/** Nanoseconds in milliseconds, rounded up, for JavaScript's alarms. */
export const toMillisCeil = (nanos) => Number((nanos + 999_999n) / 1_000_000n);

/** The module at work. One is enough for any number of policies and objects. */
export class Tollgate {
  #call;

  /** @param {WebAssembly.Module} module what `./build` has made */
  constructor(module) {
    this.#call = caller(new WebAssembly.Instance(module).exports);
  }

  /**
   * A policy in the text form of the crate: `"100/60s"`, `"10/1s,burst=50"`, `"1000/1d,aligned"`.
   *
   * @param {"fixed-window" | "sliding-log" | "token-bucket"} kind
   * @param {string} text
   * @param {string} name what header fields and bodies call it
   * @throws {PolicyError}
   */
  policy(kind, text, name = kind) {
    return new Policy(this.#call, KINDS[kind] ?? kind, text, name);
  }
}

/**
 * What is asked of a state gives an answer:
 *
 *     decision    "allow", "deny", or "never" where the cost is above the limit
 *     retryAfter  of a denial, how long until the same request passes
 *     limit, remaining, growsIn, fullIn    how the key stands, after what was asked
 *     state       the bytes to keep from here on, only where they have changed
 *     expiresAt, isExpired    from when on the key may be forgotten, and whether it may now
 *
 * Waits and times are `BigInt`s of nanoseconds, and exact. Only `check` and `charge` with a cost, and `refund`, can change the state.
 */
class Policy {
  #call;
  #kind;
  #text;
  #name;

  constructor(call, kind, text, name) {
    this.#call = call;
    this.#kind = kind;
    this.#text = utf8(text);
    this.#name = utf8(name);
    // Throws what is wrong with it, here and not at the first request.
    this.fields({ retryAfter: 0n, remaining: 0, growsIn: 0n });
  }

  /** Judges a request, and counts it if it passes. */
  check(state, cost, now) {
    return this.#ask("check", state, cost, now);
  }

  /** Says what `check` would, and changes nothing. */
  peek(state, cost, now) {
    return this.#ask("peek", state, cost, now);
  }

  /** Counts usage that is known only now, without asking. */
  charge(state, cost, now) {
    return this.#ask("charge", state, cost, now);
  }

  /** Gives units back. */
  refund(state, cost, now) {
    return this.#ask("refund", state, cost, now);
  }

  /** How the key stands. */
  status(state, now) {
    return this.#ask("peek", state, 0, now);
  }

  /** Whether the key may be forgotten. */
  isExpired(state, now) {
    return this.status(state, now).isExpired;
  }

  /** The header fields that tell an answer, as pairs: `RateLimit` and `RateLimit-Policy` of draft 10, and `Retry-After` of a denial. */
  fields({ retryAfter, remaining, growsIn }) {
    const { text } = this.#call("fields", [this.#kind], [this.#text, this.#name], [retryAfter, remaining, growsIn]);
    return text().trimEnd().split("\n").map((line) => line.split(/: (.*)/, 2));
  }

  /** The body of a refusal, of the type `application/problem+json`. */
  problem() {
    return this.#call("problem", [], [this.#name], []).text();
  }

  #ask(name, state, cost, now) {
    if (!Number.isInteger(cost) || cost < 0 || cost > 0xffff_ffff) {
      throw new RangeError(`the cost is ${cost}; it must be a whole number from 0 to 4294967295`);
    }
    if (now < 0n || now > 0x7fff_ffff_ffff_ffffn) {
      throw new RangeError(`the time is ${now}; it must be from 0 to 2^63 - 1 nanoseconds`);
    }
    const { outcome, numbers, bytes } = this.#call(name, [this.#kind], [this.#text, stored(state)], [cost, now]);
    return {
      decision: ["allow", "deny", "never"][outcome],
      retryAfter: numbers.getBigUint64(0, true),
      growsIn: numbers.getBigUint64(8, true),
      fullIn: numbers.getBigUint64(16, true),
      expiresAt: numbers.getBigUint64(24, true),
      limit: numbers.getUint32(32, true),
      remaining: numbers.getUint32(36, true),
      isExpired: numbers.getUint32(40, true) === 1,
      state: bytes.length > 0 ? bytes : undefined,
    };
  }
}

/** The bytes of a state, none for a key that is new. Anything else must not be taken for one, since that has its whole quota. */
function stored(state) {
  if (state === undefined) return new Uint8Array();
  if (!(state instanceof Uint8Array)) throw new TypeError("the state must be a Uint8Array, or undefined for a key that is new");
  if (state.length === 0) throw new StateError("the state has no bytes: it was cut short, so do not trust it");
  return state;
}

const utf8 = (text) => new TextEncoder().encode(text);

/** How the module's functions are called: with some parts in the buffer, and their lengths between the other arguments. */
function caller({ memory, buffer, buffer_len, ...functions }) {
  const decoder = new TextDecoder();
  // The memory never grows, so this is where it stays.
  const shared = new Uint8Array(memory.buffer, buffer(), buffer_len());
  const numbers = new DataView(memory.buffer, buffer(), HEAD);
  return (name, before, parts, after) => {
    let length = 0;
    for (const part of parts) {
      // Throws a `RangeError` where there is no room.
      shared.set(part, length);
      length += part.length;
    }
    const outcome = functions[name](...before, ...parts.map((part) => part.length), ...after);
    const bytes = shared.slice(HEAD, HEAD + numbers.getUint32(44, true));
    const text = () => decoder.decode(bytes);
    if (outcome === 3) throw new PolicyError(text());
    if (outcome === 4) throw new StateError(text());
    if (outcome === 5) throw new RangeError(text());
    return { outcome, numbers, bytes, text };
  };
}
