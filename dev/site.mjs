// Checks the pages of a published site in headless Chromium, as visitors see and use them:
//
//   node dev/site.mjs SITE --tools FOLDER [--only WORD]
//
// SITE is the address that `octavo demo` prints; the checks name some of its pages. FOLDER has axe-core and vnu-jar
// (`npm install --prefix FOLDER axe-core vnu-jar`); vnu-jar needs Java. Every fault is printed with its page and its rule,
// and the exit code is 1 if there is one. `--only` runs the checks whose name has that word. Needs Node 20 and Chromium.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { launch } from "./browser.mjs";
import { crawl } from "./site/crawl.mjs";
import { audit, firstPaint, inPieces, page, watch, weight } from "./site/rules.mjs";
import * as search from "./site/search.mjs";
import * as use from "./site/use.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { tools: { type: "string" }, only: { type: "string", default: "" } } });
if (positionals.length !== 1 || !values.tools) {
  console.error("usage: node dev/site.mjs SITE --tools FOLDER [--only WORD]");
  process.exit(64);
}
const site = new URL(positionals[0].replace(/\/?$/, "/"));
const at = (path) => new URL(path, site).href;
const axe = readFileSync(join(values.tools, "node_modules/axe-core/axe.min.js"), "utf8");
const words = "pressure";

let count = 0;
const faults = new Set();
const fault = (where) => (rule, text) => faults.add(`${where}: ${rule}: ${text}`);

// What the sample pages are; the reference of the API is beside the site.
const pages = [
  { path: "", name: "start" },
  { path: "octavo/import/blocks", name: "all blocks" },
  { path: "octavo/server/settings", name: "tables" },
  { path: "kestrel/http", name: "code and tabs" },
  { path: "kestrel/releases", name: "change log" },
  { path: "octavo/server", name: "long page" },
  { path: "station-api/settings", name: "operations of an API" },
  { path: `~/search?q=${words}`, name: "search" },
  { path: "no/such/page", name: "not found", status: 404 },
  { path: "~/print", name: "all pages for printing", runs: 1, light: true },
  { path: "/docs/", name: "reference", runs: 1 },
  { path: "/docs/links", name: "reference of a tag", runs: 1 },
];
const uses = [
  ["first paint", (tab, fault) => firstPaint(tab, at(""), fault)],
  ["weight", async (tab, fault) => console.log(`start: ${await weight(tab, at(""), { bytes: 26 * 1024, requests: 4 }, fault)}`)],
  ["page in pieces", (tab, fault) => inPieces(tab.browser, [at("octavo/import/blocks"), at("octavo/server/settings"), at("")], fault)],
  ["search dialog", (tab, fault) => search.dialog(tab, { start: at(""), words }, fault)],
  ["search dialog by axe", (tab, fault) => search.dialogForAll(tab, { start: at(""), words, axe, audit }, fault)],
  ["slash in a field", (tab, fault) => search.slash(tab, { search: at("~/search") }, fault)],
  ["search without scripts", (tab, fault) => search.withoutScripts(tab, { start: at(""), words }, fault)],
  ["tabs", (tab, fault) => use.tabs(tab, { url: at("octavo/import/blocks") }, fault)],
  ["theme", (tab, fault) => use.theme(tab, { url: at("") }, fault)],
  ["sheet", (tab, fault) => use.sheet(tab, { url: at("octavo/import/blocks") }, fault)],
  ["layout", (tab, fault) => use.layout(tab, { urls: [at(""), at(`~/search?q=${words}`), at("station-api/settings"), at("octavo/import/blocks")] }, fault)],
  ["copying", (tab, fault) => use.copying(tab, { url: at("octavo/import/blocks") }, fault)],
  ["feedback", (tab, fault) => use.feedback(tab, { url: at("octavo/import/blocks") }, fault)],
  ["outline", (tab, fault) => use.outline(tab, { url: at("octavo/import/blocks") }, fault)],
  ["keyboard of the start page", (tab, fault) => use.keyboard(tab, { url: at(""), width: 1280 }, fault)],
  ["keyboard of all blocks", (tab, fault) => use.keyboard(tab, { url: at("octavo/import/blocks"), width: 1280 }, fault)],
  ["keyboard of a small screen", (tab, fault) => use.keyboard(tab, { url: at("octavo/import/blocks"), width: 360 }, fault)],
  ["without scripts", (tab, fault) => use.withoutScripts(tab, { url: at("octavo/import/blocks") }, fault)],
];

// Each check has a tab of its own, and what it leaves behind is unknown to the next one.
async function check(browser, name, where, run) {
  const tab = await browser.tab(site);
  count++;
  try {
    await tab.media();
    await tab.observe(watch);
    await run(tab, fault(where));
    for (const text of tab.take()) fault(where)("requests and messages", text);
  } catch (error) {
    fault(where)(name, error.message);
  }
  await tab.close();
}

let browser;
try {
  browser = await launch();
  const checks = [
    ...pages.map(({ path, name, ...how }) => [`page: ${name}`, at(path), (tab, fault) => page(tab, { url: at(path), axe, ...how }, fault)]),
    ...uses.map(([name, run]) => [name, name, run]),
  ].filter(([name]) => name.includes(values.only));
  const worker = async () => {
    for (let next; (next = checks.shift()); ) await check(browser, ...next);
  };
  await Promise.all([worker(), worker()]);
} catch (error) {
  faults.add(`the browser: ${error.message}`);
}
await browser?.close();
if ("links and validity".includes(values.only)) {
  count++;
  try {
    console.log(await crawl(site, { beside: ["/docs/"], vnu: join(values.tools, "node_modules/vnu-jar/build/dist/vnu.jar") }, (where, rule, text) => fault(where)(rule, text)));
  } catch (error) {
    faults.add(`links and validity: ${error.message}`);
  }
}

for (const text of faults) console.error(text);
console.log(`${count} checks, ${faults.size} faults`);
process.exit(faults.size > 0 || count === 0 ? 1 : 0);
