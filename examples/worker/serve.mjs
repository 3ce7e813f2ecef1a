// The worker behind Node's own HTTP server, to try it. States are in memory, and gone with the process.
//
//     node serve.mjs 8080 sliding-log 100/60s
//     curl -i localhost:8080/tea

import { readFileSync } from "node:fs";
import { createServer } from "node:http";

import { limiterOf } from "./limiter.mjs";
import { Namespace } from "./runtime.mjs";
import { Tollgate } from "./tollgate.mjs";
import worker from "./worker.mjs";

function fail(message) {
  console.error(`error: ${message}; usage: node serve.mjs PORT KIND POLICY, as in: node serve.mjs 8080 sliding-log 100/60s`);
  process.exit(2);
}

function policyOf(kind, text) {
  try {
    const bytes = readFileSync(new URL("target/tollgate.wasm", import.meta.url));
    return new Tollgate(new WebAssembly.Module(bytes)).policy(kind, text);
  } catch (error) {
    return fail(error.code === "ENOENT" ? "the module is not there: ./build makes it" : error.message);
  }
}

const args = process.argv.slice(2);
if (args.length !== 3) fail(`there are ${args.length} arguments, and it takes 3`);
const [port, kind, text] = args;
if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) fail(`the port is ${port}, and must be 0 to 65535`);
const env = { LIMITER: new Namespace(limiterOf(policyOf(kind, text))), WHEN_BROKEN: "closed" };

/** The request as the edge passes it on: with the address of whoever is connected, whatever it says of itself. */
function requestOf({ method, url, socket }) {
  try {
    return new Request(new URL(url, "http://localhost"), { method, headers: { "cf-connecting-ip": socket.remoteAddress } });
  } catch {
    return undefined;
  }
}

const server = createServer(async (incoming, outgoing) => {
  const request = requestOf(incoming);
  const response = request ? await worker.fetch(request, env) : new Response(null, { status: 400 });
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(body);
});
server.on("error", (error) => fail(error.message));
server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
setInterval(() => env.LIMITER.runAlarms(Date.now()), 1_000).unref();
