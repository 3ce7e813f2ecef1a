// Holds the limiter against the oracle: by the vectors that apply to it, and by every short trace.
//
//   node compare.mjs [FAULT]
//
// Exit status 0: every answer is right. 1: some is not, and standard output says which. 2: there is no such fault, or no oracle. The oracle is built and run with cargo; the
// variable ORACLE names a binary to run instead.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { limiterWith } from "./faults.mjs";
import { answered, applies, read, write } from "./port.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

function oracle(args, input) {
  const [program, before] = process.env.ORACLE
    ? [process.env.ORACLE, []]
    : ["cargo", ["run", "--quiet", "--package", "oracle", "--manifest-path", path("../../../Cargo.toml"), "--"]];
  const ran = spawnSync(program, [...before, ...args], { input, encoding: "utf8", maxBuffer: 1 << 28 });
  if (ran.error || ran.status > 1) {
    throw new Error(`the oracle did not answer: ${ran.error ?? ran.stderr}`);
  }
  return ran.stdout;
}

// By a file of cases: `oracle --check` says what is wrong.
function byVectors(FixedWindow) {
  const file = read(readFileSync(path("../../../tests/vectors/policies.json"), "utf8"));
  const vectors = file.vectors.filter(applies).map((testCase) => answered(FixedWindow, testCase));
  const lines = oracle(["--check"], write({ vectors })).trimEnd().split("\n");
  const summary = lines.pop();
  return { isRight: lines.length === 0, report: [`${vectors.length} vectors apply: ${summary}`, ...lines] };
}

// Every trace of up to three requests under a small policy, the shortest first.
function* traces() {
  const requests = [];
  for (let at = 0n; at <= 4n; at++) {
    for (const cost of [1, 2, 3, 0]) {
      requests.push({ at_ns: at, cost });
    }
  }
  let shorter = [[]];
  for (let length = 1; length <= 3; length++) {
    shorter = shorter.flatMap((steps) => requests.map((request) => [...steps, request]));
    for (const quota of [1, 2]) {
      for (const steps of shorter) {
        yield { policy: { kind: "fixed-window", quota, window_ns: 2n }, steps };
      }
    }
  }
}

// Whether all is right that is given, as with `--check`: a port may know no `remaining`.
function agrees(given, right) {
  const isRight = ([name, value]) => value === undefined || write(value) === write(right[name]);
  return given.expect !== undefined && Object.entries(given).every(isRight);
}

// By cases of our own: the oracle answers them line by line, and the answers are compared here.
function byTraces(FixedWindow) {
  const questions = [...traces()];
  const lines = oracle([], questions.map(write).join("\n")).trimEnd().split("\n");
  for (const [index, question] of questions.entries()) {
    const right = read(lines[index]);
    const given = answered(FixedWindow, question);
    const step = given.steps.findIndex((given, step) => !agrees(given, right.steps[step]));
    if (step >= 0) {
      const { quota, window_ns } = question.policy;
      const asked = question.steps.slice(0, step + 1).map(({ at_ns, cost }) => `${cost} at ${at_ns}`);
      const report = [
        `the shortest trace that is answered wrongly, with a quota of ${quota} and a window of ${window_ns}:`,
        `  costs of ${asked.join(", ")}`,
        `  given: ${write(given.steps[step])}`,
        `  right: ${write(right.steps[step])}`,
      ];
      return { isRight: false, report };
    }
  }
  return { isRight: true, report: [`${questions.length} traces of up to three requests: all right`] };
}

try {
  const FixedWindow = await limiterWith(process.argv[2]);
  const results = [byVectors(FixedWindow), byTraces(FixedWindow)];
  console.log(results.flatMap(({ report }) => report).join("\n"));
  process.exitCode = results.every(({ isRight }) => isRight) ? 0 : 1;
} catch (error) {
  console.error(`compare: ${error.message}`);
  process.exitCode = 2;
}
