// Opens a page in headless Chromium, waits for an element, and takes a picture of it:
//
//   node dev/page.mjs URL --wait SELECTOR [--out FILE.png] [--size 1280x900]
//
// Fails when the element does not come within five seconds of loading, when the page asks for anything from another host, when
// something it asks for fails, when its script reports an error, or when the picture is blank. Needs Node 20 and
// Chromium, and no package.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { inflateSync } from "node:zlib";
import { launch } from "./browser.mjs";

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

const faults = [];
let browser, tab;
try {
  browser = await launch();
  tab = await browser.tab(url);
  await tab.size(width, height);
  await tab.goto(url);
  await tab.until(values.wait, (wanted) => !!document.querySelector(wanted), values.wait);
  const png = await tab.picture();
  if (variety(png) < 20) faults.push("the picture is blank");
  if (values.out) writeFileSync(values.out, png);
  console.log(`${url}: ${values.wait} is there, the picture has ${png.length} bytes`);
} catch (error) {
  faults.push(error.message);
}
if (tab) faults.push(...tab.take());
await browser?.close();
for (const fault of faults) console.error(`${url}: ${fault}`);
process.exit(faults.length > 0 ? 1 : 0);
