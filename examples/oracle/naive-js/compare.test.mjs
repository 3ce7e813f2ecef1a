// What the comparison says of the limiter as it is, and with each fault. Run with: node --test compare.test.mjs

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { faults } from "./faults.mjs";

function run(...args) {
  const program = fileURLToPath(new URL("compare.mjs", import.meta.url));
  return spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
}

function compare(...args) {
  const { status, stdout, stderr } = run(...args);
  assert.equal(stderr, "");
  return { status, stdout, trace: stdout.slice(stdout.indexOf("the shortest trace")) };
}

// The last lines of a report: the shortest trace that is answered wrongly.
function shortest(costs, given, right) {
  return [
    "the shortest trace that is answered wrongly, with a quota of 1 and a window of 2:",
    `  costs of ${costs}`,
    `  given: ${given}`,
    `  right: ${right}`,
    "",
  ].join("\n");
}

test("the limiter answers every vector and every short trace as the oracle does", () => {
  const { status, stdout } = compare();
  assert.match(stdout, /^\d{2,} vectors apply: \d{2,} answers right, 0 wrong\n16840 traces of up to three requests: all right\n$/);
  assert.equal(status, 0);
});

test("a fault that there is not is said so, on one line", () => {
  const { status, stdout, stderr } = run("nonsense");
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /^compare: there is no fault nonsense; there are resets-late, .*\n$/);
});

test("a window that resets a tick late is told where", () => {
  const { status, stdout, trace } = compare("resets-late");
  assert.equal(status, 1);
  assert.match(
    stdout,
    /"a fixed window opens with its first request and ends half-open" .*: step 5, .*\{"expect": "deny", "retry_after_ns": 0\}; right is \{"expect": "allow", "remaining": 2\}/,
  );
  assert.equal(
    trace,
    shortest(
      "1 at 0, 1 at 2",
      '{"at_ns":"2","cost":1,"expect":"deny","retry_after_ns":"0"}',
      '{"at_ns":"2","cost":1,"expect":"allow","remaining":0}',
    ),
  );
});

test("a denial that is counted is told where", () => {
  const { status, stdout, trace } = compare("counts-denials");
  assert.equal(status, 1);
  assert.match(stdout, /"a denial leaves what fits to those that fit" .*: step 2, /);
  assert.equal(
    trace,
    shortest(
      "1 at 0, 1 at 0, 0 at 0",
      '{"at_ns":"0","cost":0,"expect":"deny","retry_after_ns":"2"}',
      '{"at_ns":"0","cost":0,"expect":"allow","remaining":0}',
    ),
  );
});

test("a wait for a whole window is told where", () => {
  const { status, stdout, trace } = compare("waits-too-long");
  assert.equal(status, 1);
  assert.match(stdout, /"thirty a minute, and the thirty-first waits for the window's end" .*: step 31, /);
  assert.equal(
    trace,
    shortest(
      "1 at 0, 1 at 1",
      '{"at_ns":"1","cost":1,"expect":"deny","retry_after_ns":"2"}',
      '{"at_ns":"1","cost":1,"expect":"deny","retry_after_ns":"1"}',
    ),
  );
});

test("every fault has a test", () => {
  assert.deepEqual(faults, ["resets-late", "counts-denials", "waits-too-long"]);
});
