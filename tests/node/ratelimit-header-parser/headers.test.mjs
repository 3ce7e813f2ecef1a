// What the npm package `ratelimit-header-parser` understands of the fields that the example `headers` renders, and whether its JSON is
// what `JSON.stringify` would have written.
//
//     npm ci && npm test

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseRateLimit } from "ratelimit-header-parser";

// The package adds seconds to local time, which daylight saving time may move by an hour.
process.env.TZ = "UTC";

const lines = readFileSync(new URL("headers.jsonl", import.meta.url), "utf8").trimEnd().split("\n");
const answers = lines.map((line) => JSON.parse(line)).filter((line) => "form" in line);
const texts = lines.map((line) => JSON.parse(line)).filter((line) => "text" in line);

/** A number of nanoseconds as whole seconds, rounded up. */
const seconds = (nanos) => Number((nanos + 999_999_999n) / 1_000_000_000n);

/** That the date is so many seconds after the parser was called. */
function assertFromNow(reset, delay, before, after, message) {
  assert.ok(reset.getTime() >= before + delay * 1000 && reset.getTime() <= after + delay * 1000, message);
}

for (const form of ["draft-07", "draft-06", "x-seconds", "x-unix"]) {
  test(`reads ${form}`, () => {
    const ours = answers.filter((answer) => answer.form === form);
    assert.equal(ours.length, 12);
    assert.ok(ours.some((answer) => "retry-after" in answer.headers));
    for (const { headers, limit, remaining, now_ns, reset_ns } of ours) {
      // An object, as Node has it, and the standard's `Headers`.
      for (const response of [{ headers }, { headers: new Headers(headers) }]) {
        const options = form === "x-unix" ? { reset: "unix" } : { reset: "seconds" };
        const before = Date.now();
        const read = parseRateLimit(response, options);
        const after = Date.now();
        const message = JSON.stringify({ headers, read });
        assert.equal(read.limit, limit, message);
        assert.equal(read.remaining, remaining, message);
        assert.equal(read.used, limit - remaining, message);
        if (form === "x-unix") {
          assert.equal(read.reset.getTime(), seconds(BigInt(now_ns) + BigInt(reset_ns)) * 1000, message);
        } else {
          assertFromNow(read.reset, seconds(BigInt(reset_ns)), before, after, message);
        }
      }
    }
  });
}

test("tells a delay from a Unix time without being told which it is", () => {
  const sensible = answers.filter(({ form, reset_ns }) => form.startsWith("x-") && BigInt(reset_ns) < 2n ** 59n);
  assert.ok(sensible.length >= 20);
  for (const { form, headers, now_ns, reset_ns } of sensible) {
    const before = Date.now();
    const { reset } = parseRateLimit({ headers });
    if (form === "x-unix") {
      assert.equal(reset.getTime(), seconds(BigInt(now_ns) + BigInt(reset_ns)) * 1000);
    } else {
      assertFromNow(reset, seconds(BigInt(reset_ns)), before, Date.now(), reset.toISOString());
    }
  }
});

test("drafts 06 and 07 reset when Retry-After says", () => {
  const denied = answers.filter(({ headers }) => "retry-after" in headers);
  for (const { form, headers } of denied) {
    if (form === "draft-06") assert.equal(headers["ratelimit-reset"], headers["retry-after"]);
    if (form === "draft-07") assert.ok(headers.ratelimit.endsWith(`, reset=${headers["retry-after"]}`));
  }
});

test("every line is what JSON.stringify writes", () => {
  for (const line of lines) assert.equal(line, JSON.stringify(JSON.parse(line)));
});

test("every character of two planes is itself", () => {
  assert.equal(texts.length, 512);
  for (const { first, text } of texts) {
    const points = Array.from({ length: 256 }, (_, place) => first + place);
    const characters = points.filter((point) => point < 0xd800 || point > 0xdfff);
    assert.equal(text, String.fromCodePoint(...characters));
  }
});

test("the vectors for strings are what JSON.stringify writes", () => {
  const { cases } = JSON.parse(readFileSync(new URL("../../vectors/format.json", import.meta.url), "utf8"));
  const strings = cases.filter(({ formatter }) => formatter === "json-string");
  assert.ok(strings.length >= 12);
  for (const { text, renders } of strings) assert.equal(renders, JSON.stringify({ s: text }));
});
