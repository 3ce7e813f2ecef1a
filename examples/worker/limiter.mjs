// The durable object: one for each key, and in its storage the state of that key.

import { fromMillis, toMillisCeil } from "./tollgate.mjs";

/** How far apart the clocks may be of the machines that an object moves between. Its state is kept for so much longer. */
export const SKEW = fromMillis(60_000);

const systemClock = () => fromMillis(Date.now());

/**
 * The class of the objects that hold their keys to a policy.
 *
 * `fetch` judges a request of the cost `?cost=` (1 if there is none) and answers with 200, or with the whole refusal: 429 and when to come
 * back, or 400 where the cost is above the limit. A fault of the storage, or a state that cannot be read, is left to the caller, who chooses what then
 * becomes of the request.
 */
export const limiterOf = (policy, clock = systemClock) =>
  class Limiter {
    #storage;

    constructor({ storage }) {
      this.#storage = storage;
    }

    // No other request comes in between, since none is delivered while storage is waited for: what is read is what is changed.
    async fetch(request) {
      const cost = Number(new URL(request.url).searchParams.get("cost") ?? 1);
      const answer = policy.check(await this.#storage.get("state"), cost, clock());
      if (answer.state !== undefined) await this.#keep(answer);
      const headers = policy.fields(answer);
      if (answer.decision === "allow") return new Response(null, { headers });
      headers.push(["content-type", "application/problem+json"]);
      return new Response(policy.problem(), { status: answer.decision === "deny" ? 429 : 400, headers });
    }

    async #keep({ state, expiresAt }) {
      // One alarm a life is enough: it looks again.
      const hasAlarm = (await this.#storage.getAlarm()) !== null;
      const kept = this.#storage.put("state", state);
      await Promise.all(hasAlarm ? [kept] : [kept, this.#storage.setAlarm(toMillisCeil(expiresAt + SKEW))]);
    }

    // Forgets the key, or comes back when it may be forgotten.
    async alarm() {
      const state = await this.#storage.get("state");
      if (state === undefined) return;
      const now = clock();
      const latest = now > SKEW ? now - SKEW : 0n;
      if (policy.isExpired(state, latest)) {
        await this.#storage.deleteAll();
      } else {
        await this.#storage.setAlarm(toMillisCeil(policy.status(state, latest).expiresAt + SKEW));
      }
    }
  };
