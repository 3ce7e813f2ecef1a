// The worker over HTTP.
//
//     ./build && node --test

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("serve.mjs", import.meta.url));

test("three requests pass, and then none", async (context) => {
  const server = spawn(process.execPath, [program, "0", "sliding-log", "3/1d"], { stdio: ["ignore", "pipe", "inherit"] });
  context.after(() => server.kill());
  const [line] = await once(server.stdout, "data");
  const origin = line.toString().trim();

  const responses = [];
  for (let count = 0; count < 4; count++) responses.push(await fetch(`${origin}/tea?${count}`));
  assert.deepEqual(responses.map(({ status }) => status), [200, 200, 200, 429]);
  assert.deepEqual(await responses[0].json(), { path: "/tea" });
  const denied = responses[3];
  const seconds = Number(denied.headers.get("retry-after"));
  assert.ok(seconds > 80_000 && seconds <= 86_400, `${seconds}`);
  assert.equal(denied.headers.get("ratelimit-policy"), '"sliding-log";q=3;w=86400');
  assert.deepEqual((await denied.json())["violated-policies"], ["sliding-log"]);
  assert.equal((await fetch(`${origin}/tea`, { headers: { "cf-connecting-ip": "192.0.2.1" } })).status, 429, "it knows better");
});

test("what it cannot use is one line and exit status 2", () => {
  const wrong = [
    [[], /^error: there are 0 arguments/],
    [["http", "sliding-log", "3/60s"], /^error: the port is http/],
    [["0", "sliding-log", "3"], /^error: a policy is written QUOTA\/WINDOW/],
    [["0", "leaky-bucket", "3/60s"], /^error: a policy is a fixed-window/],
  ];
  for (const [args, message] of wrong) {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
    assert.equal(status, 2);
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split("\n").length, 1);
  }
});
