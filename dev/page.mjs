// Opens a page in headless Chromium, waits for an element, and takes a picture of it:
//
//   node dev/page.mjs URL --wait SELECTOR [--out FILE.png] [--size 1280x900]
//
// Fails when the element does not come within 30 seconds, when the page asks for anything from another host, when
// something it asks for fails, when its script reports an error, or when the picture is blank. Talks to the browser
// over a pipe (Chrome DevTools Protocol); needs Node 20 and Chromium, and no package.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { inflateSync } from "node:zlib";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { wait: { type: "string" }, out: { type: "string" }, size: { type: "string", default: "1280x900" } },
});
const [url] = positionals;
const [width, height] = values.size.split("x").map(Number);
if (!url || !values.wait || !(width > 0 && height > 0)) {
  console.error("usage: node dev/page.mjs URL --wait SELECTOR [--out FILE.png] [--size 1280x900]");
  process.exit(64);
}

const profile = mkdtempSync(join(tmpdir(), "octavo-page-"));
const flags = ["--headless=new", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "--no-first-run",
  "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars",
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "about:blank"];
// A group of its own, so that the browser's children end with it.
const browser = spawn(process.env.CHROMIUM ?? "chromium", flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
const ended = new Promise((resolve) => browser.on("exit", resolve).on("error", resolve));
browser.stdio[3].on("error", () => {}); // Written to after the end; `ended` tells.

const faults = [];
const waiting = new Map();
let number = 0;
function call(method, params = {}, sessionId) {
  const id = ++number;
  browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

const host = new URL(url).host;
const notices = {
  "Network.requestWillBeSent": ({ request }) => {
    const wanted = new URL(request.url);
    if (!["data:", "blob:", "about:"].includes(wanted.protocol) && wanted.host !== host) faults.push(`asks ${wanted.host} for ${request.url}`);
  },
  "Network.responseReceived": ({ response }) => response.status >= 400 && faults.push(`${response.url} is answered ${response.status}`),
  "Network.loadingFailed": ({ errorText, canceled }) => canceled || faults.push(`a request fails: ${errorText}`),
  "Runtime.exceptionThrown": ({ exceptionDetails: { text, exception } }) => faults.push(exception?.description ?? text),
  "Log.entryAdded": ({ entry }) => entry.level === "error" && faults.push(entry.text),
};
let rest = Buffer.alloc(0);
browser.stdio[4].on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
    const { id, result, error, method, params } = JSON.parse(rest.subarray(0, end).toString());
    if (id) {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      error ? reject(new Error(error.message)) : resolve(result);
    } else notices[method]?.(params);
  }
});

// How many different rows of pixels a PNG without interlacing has, as its filter left them.
function variety(png) {
  const parts = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const pixels = inflateSync(Buffer.concat(parts));
  const row = pixels.length / png.readUInt32BE(20);
  const rows = new Set();
  for (let at = 0; at < pixels.length; at += row) rows.add(pixels.toString("latin1", at, at + row));
  return rows.size;
}

async function look() {
  const { targetId } = await call("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await call("Target.attachToTarget", { targetId, flatten: true });
  const page = (method, params) => call(method, params, sessionId);
  for (const domain of ["Network", "Runtime", "Log", "Page"]) await page(`${domain}.enable`);
  await page("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  await page("Page.navigate", { url });
  const expression = `!!document.querySelector(${JSON.stringify(values.wait)})`;
  const until = Date.now() + 30_000;
  for (;;) {
    const { result } = await page("Runtime.evaluate", { expression, returnByValue: true });
    if (result.value === true) break;
    if (Date.now() > until) throw new Error(`${values.wait} did not come within 30 seconds`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const { data } = await page("Page.captureScreenshot", { format: "png" });
  const png = Buffer.from(data, "base64");
  if (variety(png) < 20) faults.push("the picture is blank");
  if (values.out) writeFileSync(values.out, png);
  return png.length;
}

let exit = 0;
const died = ended.then(() => { throw new Error("the browser ended: is Chromium installed? CHROMIUM names the program"); });
try {
  const bytes = await Promise.race([look(), died]);
  console.log(`${url}: ${values.wait} is there, the picture has ${bytes} bytes, ${faults.length} faults`);
} catch (error) {
  faults.push(error.message);
}
if (faults.length > 0) {
  for (const fault of new Set(faults)) console.error(`${url}: ${fault}`);
  exit = 1;
}
died.catch(() => {});
if (browser.pid) process.kill(-browser.pid, "SIGKILL");
await ended;
try {
  rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
} catch (error) {
  // A folder that stays behind says nothing about the page.
  console.error(`${profile} is not removed: ${error.message}`);
}
process.exit(exit);
