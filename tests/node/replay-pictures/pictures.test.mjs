// What `replay --html` and `replay --plot` write, in a real browser: light and dark, on a phone and on a desk, from a tame log and from a
// hostile one. Screenshots are left in target/pictures.
//
//     npm ci && npm test        needs `chromium` on the PATH, or named by CHROMIUM

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const folder = join(target, "pictures");

/** Keys that would be markup, script, or a mess, if they were not escaped. */
const HOSTILE = [
  "<script>window.hit = 1</script>",
  "\"><img src=x onerror='window.hit=1'>",
  "</title></svg><script>window.hit=1</script>",
  "]]>&amp;<!--",
  "\u202egpj.exe\u0000\u0007",
  "javascript:" + "w".repeat(200),
  "日本語".repeat(40),
];

let browser;

function replay(...args) {
  return execFileSync(join(target, "debug", "replay"), args, { encoding: "utf8" });
}

/** A log of these keys, in which some requests are denied and some can never pass. */
function hostileLog() {
  const rows = HOSTILE.flatMap((key, place) =>
    Array.from({ length: 12 + place }, (_, at_s) => JSON.stringify({ at_s, key, cost: at_s === 5 ? 99 : 1 + (at_s % 3) })));
  const log = join(folder, "hostile.jsonl");
  writeFileSync(log, rows.join("\n"));
  return log;
}

before(async () => {
  mkdirSync(folder, { recursive: true });
  const file = (name) => join(folder, name);
  replay("--html", file("sample.html"), "--plot", file("sample.svg"), "--plot-key", "203.0.113.9", "--suggest", "1");
  const policies = ["--fixed-window", "9/10s", "--token-bucket", "5/1s,burst=12", "--compose", "all"];
  replay(...policies, "--html", file("hostile.html"), "--plot", file("hostile.svg"), "--plot-key", HOSTILE[0], "--suggest", "5", hostileLog());
  const fine = file("fine.csv");
  writeFileSync(fine, ["at_ns,key", ...Array.from({ length: 40 }, (_, n) => `${1_000_000_000_123_456_700n + BigInt(n * 3)},a`)].join("\n"));
  replay("--sliding-log", "9/50ns", "--html", file("fine.html"), "--plot", file("fine.svg"), fine);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
});

after(() => browser?.close());

/** All of a page or a picture. Playwright's own way waits for ever on a document that is not HTML. */
async function screenshot(page, name) {
  const session = await page.context().newCDPSession(page);
  const { cssContentSize } = await session.send("Page.getLayoutMetrics");
  const clip = { ...cssContentSize, scale: 1 };
  const { data } = await session.send("Page.captureScreenshot", { clip, captureBeyondViewport: true });
  writeFileSync(join(folder, name), Buffer.from(data, "base64"));
}

/** Runs in the page: all that a reader could not read, or not see. */
function faults(width) {
  const faults = [];
  const say = (what, element, detail) => faults.push(`${what}: ${detail} in ${element.outerHTML.slice(0, 120)}`);
  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).slice(0, 3).map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const opaque = (color) => !(color === "transparent" || (color.startsWith("rgba") && channels(color)[3] < 1));
  /** What stands behind an element; a cell with a bar has two grounds. */
  const grounds = (element) => {
    const found = [];
    for (let at = element; at; at = at.parentElement) {
      if (at.classList?.contains("share")) {
        const probe = document.createElement("i");
        probe.style.color = "var(--tint)";
        at.append(probe);
        found.push(getComputedStyle(probe).color);
        probe.remove();
      }
      if (at.tagName === "svg") return [...found, getComputedStyle(at.querySelector(".f-paper")).fill];
      const color = getComputedStyle(at).backgroundColor;
      if (opaque(color)) return [...found, color];
    }
    return [...found, "rgb(255, 255, 255)"];
  };

  if (document.documentElement.scrollWidth > width) {
    faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
  }
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("head, style, title, desc")) continue;
    const style = getComputedStyle(element);
    if (!element.checkVisibility()) continue;
    texts += 1;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 1 || box.height < 4) say("not seen", element, `${box.width} x ${box.height}`);
    const scroll = element.closest(".scroll");
    if (!scroll && (box.left < 0 || box.right > width + 0.5)) say("outside", element, `${box.left} to ${box.right}`);
    const color = element.namespaceURI.endsWith("svg") ? style.fill : style.color;
    for (const ground of grounds(element)) {
      const ratio = contrast(color, ground);
      if (ratio < 4.5) say("contrast", element, `${ratio.toFixed(2)} of ${color} on ${ground}`);
    }
  }
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    if (frame.width < 300 || frame.height < 120) say("too small", svg, `${frame.width} x ${frame.height}`);
    const labels = [...svg.querySelectorAll("text")].map((element) => ({ element, box: element.getBoundingClientRect() }));
    labels.forEach(({ element, box }, place) => {
      if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom + 2) {
        say("outside of its picture", element, `${box.left} to ${box.right}`);
      }
      for (const other of labels.slice(0, place)) {
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        // Boxes of text are higher than its letters.
        if (across > 1 && down > box.height * 0.45) say("over another", element, other.element.textContent);
      }
    });
    const names = svg.getAttribute("aria-labelledby").split(" ").map((id) => document.getElementById(id)?.textContent);
    if (names.length !== 2 || names.some((name) => !name)) say("has no name", svg, names);
  }
  if (document.querySelector("script, img, iframe, link, object, embed, [onerror], [onload]") || window.hit) {
    faults.push("what was text has become markup");
  }
  return { faults, texts };
}

const documents = [
  { name: "sample.html", texts: 120 },
  { name: "sample.svg", texts: 40 },
  { name: "hostile.html", texts: 90 },
  { name: "hostile.svg", texts: 25 },
  { name: "fine.html", texts: 50 },
  { name: "fine.svg", texts: 15 },
];

for (const { name, texts } of documents) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [400, 1280]) {
      test(`${name} is read without trouble, ${colorScheme}, ${width} pixels wide`, async () => {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
        const url = pathToFileURL(join(folder, name)).href;
        const seen = [];
        page.on("console", (message) => seen.push(`console: ${message.text()}`));
        page.on("pageerror", (error) => seen.push(`error: ${error.message}`));
        page.on("request", (request) => request.url() === url || seen.push(`asked for ${request.url()}`));
        await page.goto(url);
        assert.equal(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches), colorScheme === "dark");
        await screenshot(page, `${name}-${colorScheme}-${width}.png`);
        // What is folded away is read too.
        await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
        const read = await page.evaluate(faults, width);
        assert.deepEqual([...read.faults, ...seen], []);
        assert.ok(read.texts >= texts, `${read.texts} texts`);
        await page.close();
      });
    }
  }
}

test("light and dark are not the same", async () => {
  const papers = [];
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.newPage({ colorScheme });
    for (const name of ["sample.html", "sample.svg"]) {
      await page.goto(pathToFileURL(join(folder, name)).href);
      papers.push(await page.evaluate(() => getComputedStyle(document.querySelector(".f-paper")).fill));
    }
    await page.close();
  }
  assert.equal(papers[0], papers[1]);
  assert.equal(papers[2], papers[3]);
  assert.notEqual(papers[0], papers[2]);
});

test("a picture works as an image, where no script runs and nothing is fetched", async () => {
  const page = await browser.newPage();
  const svg = readFileSync(join(folder, "hostile.svg"), "base64");
  await page.setContent(`<img src="data:image/svg+xml;base64,${svg}">`);
  const size = await page.evaluate(async () => {
    const image = document.querySelector("img");
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  });
  assert.equal(size[0], 960);
  assert.ok(size[1] > 200, `${size}`);
  await page.close();
});

test("every table and picture of the page has a heading or a name", async () => {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(join(folder, "sample.html")).href);
  const counts = await page.evaluate(() => ({
    headings: document.querySelectorAll("h2").length,
    pictures: document.querySelectorAll("svg[role=img]").length,
    equivalents: document.querySelectorAll("figure + details table").length,
    named: [...document.querySelectorAll("section")].every((section) => document.getElementById(section.getAttribute("aria-labelledby"))),
    scoped: [...document.querySelectorAll("th")].every((cell) => cell.scope),
  }));
  assert.deepEqual(counts, { headings: 6, pictures: 2, equivalents: 2, named: true, scoped: true });
  await page.close();
});
