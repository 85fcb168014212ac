// Rates pages of a published site with Lighthouse, as on a slow phone, in all its categories: performance, accessibility,
// best practices, search engines and, since version 13, agents that browse:
//
//   node dev/lighthouse.mjs SITE --tools FOLDER [--page PATH]…
//
// SITE is the address of a site at the root of its host: `octavo demo` once, then `OCTAVO_ROOT_SITE=octavo-guide octavo
// serve` with the same data folder. Elsewhere search engines get 92, since Lighthouse fetches `/robots.txt` as the page, and
// the policy of a page allows requests below its own site only. FOLDER has Lighthouse and the Node that it needs
// (`npm install --prefix FOLDER lighthouse node@22`). Every score below 100 is printed with the audits that cost points, and
// the exit code is 1 if there is one. It is run by hand: the performance depends on what else the machine does. Needs
// Chromium; CHROMIUM names the program.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { tools: { type: "string" }, page: { type: "string", multiple: true } } });
if (positionals.length !== 1 || !values.tools) {
  console.error("usage: node dev/lighthouse.mjs SITE --tools FOLDER [--page PATH]…");
  process.exit(64);
}
const site = positionals[0].replace(/\/?$/, "/");
// The start, every block, long tables, and code with tabs.
const pages = values.page ?? ["", "octavo/import/blocks", "octavo/server/settings", "kestrel/http"];
const program = join(values.tools, "node_modules/lighthouse/cli/index.js");
const ownNode = join(values.tools, "node_modules/node/bin/node");
const node = existsSync(ownNode) ? ownNode : process.execPath;
const chromium = process.env.CHROMIUM ?? execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
const figures = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift", "total-byte-weight"];
const folder = mkdtempSync(join(tmpdir(), "octavo-lighthouse-"));

let faults = 0;
for (const page of pages) {
  const file = join(folder, "report.json");
  const flags = ["--headless=new", "--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];
  const rate = () => spawnSync(node, [program, new URL(page, site).href, "--output=json", `--output-path=${file}`, "--quiet",
    "--no-enable-error-reporting", `--chrome-flags=${flags.join(" ")}`],
    { env: { ...process.env, CHROME_PATH: chromium }, encoding: "utf8" });
  let made = rate();
  // Chromium now and then loses the start of its own recording on a busy machine.
  if (made.status !== 0 && made.stderr.includes("NO_NAVSTART")) made = rate();
  if (made.status !== 0) {
    console.error(`${page || "start"}: ${made.stderr || made.error}`);
    faults++;
    continue;
  }
  const { categories, audits, lighthouseVersion, runtimeError } = JSON.parse(readFileSync(file, "utf8"));
  if (runtimeError) {
    console.error(`${page || "start"}: ${runtimeError.message}`);
    faults++;
    continue;
  }
  const scores = Object.values(categories).map(({ title, score }) => `${title} ${Math.round(score * 100)}`);
  console.log(`${page || "start"}: ${scores.join(", ")} (Lighthouse ${lighthouseVersion})`);
  console.log(`  ${figures.map((id) => `${audits[id].title}: ${audits[id].displayValue}`).join("; ")}`);
  for (const { title, score, auditRefs } of Object.values(categories)) {
    if (Math.round(score * 100) === 100) continue;
    faults++;
    for (const { id, weight } of auditRefs) {
      const audit = audits[id];
      if (weight === 0 || audit.score === null || audit.score >= 0.995) continue;
      console.log(`  ${title}: ${id}: ${audit.title}${audit.displayValue ? `: ${audit.displayValue}` : ""}${audit.explanation ? `: ${audit.explanation}` : ""}`);
      for (const item of audit.details?.items?.slice(0, 8) ?? []) console.log(`    ${item.node?.snippet ?? item.url ?? JSON.stringify(item).slice(0, 300)}`);
    }
  }
}
rmSync(folder, { recursive: true, force: true });
process.exit(faults > 0 ? 1 : 0);
