// Publishes a site in three languages and looks at its pages in headless Chromium, with one customization after the other:
//
//   node dev/looks.mjs URL --token TOKEN --octavo PROGRAM --data-dir FOLDER --tools FOLDER
//
// URL is that of a running server with this data folder. Whatever the theme, the header and the layout: every part of the
// header can be reached, with scripts and without, on wide screens and on small ones; axe-core finds nothing; what is
// pointed at can be read; nothing is wider than the window, in English, Arabic and German; a page in Arabic is mirrored,
// and its code is not; a title is in front of its cover; the section that is read is seen; many links have room; low
// windows have no header over the text; and code is copied without the numbers of its notes. Every fault is printed with
// its page, and the exit code is 1 if there is one. `--tools` is that of dev/site.mjs.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { launch } from "./browser.mjs";
import { audit, overflow } from "./site/rules.mjs";

const text = { type: "string" };
const { values, positionals: [url] } = parseArgs({ allowPositionals: true, options: { token: text, octavo: text, "data-dir": text, tools: text } });
if (!url || !values.token || !values.octavo || !values["data-dir"] || !values.tools) {
  console.error("usage: node dev/looks.mjs URL --token TOKEN --octavo PROGRAM --data-dir FOLDER --tools FOLDER");
  process.exit(64);
}
const axe = readFileSync(join(values.tools, "node_modules/axe-core/axe.min.js"), "utf8");
const faults = new Set();
const fault = (where, rule, what) => faults.add(`${where}: ${rule}: ${what}`);

const CODE = "```rust\nlet a = 1;\n```\n";
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 400" width="800" height="400"><path fill="#8bc" d="M0 0h800v400H0z"/></svg>';
const cover = (size) => `---\ncover: .gitbook/assets/cover.svg\nlayout:\n  cover:\n    visible: true\n    size: ${size}\n---\n\n# Covered\n\n## One\n\ntext\n\n## Two\n\ntext\n`;
const landing = "---\nlayout:\n  tableOfContents:\n    visible: false\n---\n\n# Landing\n\ntext\n";
// A word that no line has room for, in every place where it is not in a paragraph.
const LONG = "Pneumonoultramicroscopicsilicovolcanoconiosis".repeat(4);
const words = (word) => `# ${word}\n\n## ${word}\n\n* ${word}\n\n{% tabs %}\n{% tab title="${word}" %}\n${word}\n{% endtab %}\n{% endtabs %}\n\n{% stepper %}\n{% step %}\n### ${word}\n{% endstep %}\n{% endstepper %}\n\n{% hint style="info" %}\n${word}\n{% endhint %}\n\n<details>\n<summary>${word}</summary>\n\n${word}\n\n</details>\n\n<a href="code.md" class="button primary">${word}</a>\n`;
const SPACES = {
  en: { "README.md": '# Start\n\ntext\n\n<a href="code.md" class="button primary">Code</a>\n', "words.md": words(LONG), "code.md": `# Code\n\n${CODE}`, "full.md": cover("full"), "background.md": cover("background"), "landing.md": landing, ".gitbook/assets/cover.svg": PICTURE },
  ar: { "README.md": `# البداية\n\nنص مع [رابط](page.md) و\`code\`.\n\n## قسم\n\n{% hint style="info" %}\nمعلومة\n{% endhint %}\n\n${CODE}\n| أ | ب |\n| --- | ---: |\n| ١ | 2 |\n`, "page.md": "# صفحة\n\nنص\n" },
  de: { "README.md": "# Datenschutzfolgenabschätzungsverfahrensbeschreibung\n\nDonaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen und `einsehrlangerbefehlohneleerzeichenundohnepausen`.\n\n## Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz\n\ntext\n",
    "page.md": "# Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnung\n\ntext\n" },
};
const SECTIONS = 9;

// Themes, headers and the other choices of how a site looks, each once.
const plain = (color) => ({ light: color, dark: color });
const LOOKS = [
  { styling: { theme: "clean" }, header: { preset: "default" } },
  { styling: { theme: "muted", corners: "circular", sidebar: { background: "filled", list: "pill" }, primaryColor: plain("#0e7a5f") }, header: { preset: "contrast" } },
  { styling: { theme: "bold", corners: "straight", depth: "flat", sidebar: { list: "line" }, primaryColor: plain("#ffd400") }, header: { preset: "default" } },
  { styling: { theme: "gradient", links: "accent", search: "subtle", background: "match", tint: { color: plain("#7c3aed") } }, header: { preset: "bold" } },
  { styling: { theme: "clean", search: "subtle" }, header: { preset: "custom", backgroundColor: plain("#222244"), linkColor: plain("#ffee88") } },
  { styling: { theme: "muted", sidebar: { background: "filled", list: "line" } }, header: { preset: "none" } },
  { styling: { theme: "gradient", tint: { color: plain("#000000") }, primaryColor: plain("#000000") }, header: { preset: "default" } },
];
const link = (title, style) => ({ title, style, to: { kind: "url", url: `https://example.org/${title}` }, links: [] });
const SETTINGS = {
  footer: { copyright: "© 2026 Example", groups: [{ title: "More", links: [{ title: "About", to: { kind: "url", url: "https://example.org/about" } }] }] },
  announcement: { enabled: true, message: "A new version is out.", style: "info" },
  socialAccounts: [{ platform: "github", handle: "example", display: { header: true, footer: true } }],
  trademark: { enabled: true },
};
const LINKS = [link("blog", "link"), { title: "Menu", style: "link", to: null, links: [{ title: "One", to: { kind: "url", url: "https://example.org/one" } }] }, link("try", "button-primary")];

async function api(path, method = "GET", body) {
  const headers = { authorization: `Bearer ${values.token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} is answered ${response.status}: ${answer}`);
  return answer && JSON.parse(answer);
}

/** A note in the middle of a line of code. Markdown has no such notes. */
async function annotate(space) {
  const words = (text) => ({ object: "text", leaves: [{ object: "leaf", text, marks: [] }] });
  const paragraph = { object: "block", type: "paragraph", data: {}, nodes: [words("The first number")] };
  const note = { object: "inline", type: "annotation", data: {}, nodes: [words("1")], fragments: [{ object: "fragment", type: "annotation-body", nodes: [paragraph] }] };
  const line = { object: "block", type: "code-line", data: {}, nodes: [words("let a = "), note, words(";")] };
  const document = { object: "document", data: {}, nodes: [{ object: "block", type: "code", data: { syntax: "rust" }, nodes: [line] }] };
  const { id } = await api(`/spaces/${space}/content/path/code`);
  const request = `/spaces/${space}/change-requests/${(await api(`/spaces/${space}/change-requests`, "POST", { subject: "A note" })).id}`;
  await api(`${request}/content`, "POST", { changes: [{ operation: "update_page", page: id, document: { document } }] });
  await api(`${request}/merge`, "POST", {});
}

/** The address of the site in the API, its address for visitors, and the addresses of its variants by language. */
async function publish(folder) {
  const { items } = await api("/orgs?limit=100");
  const organization = items.find(({ title }) => title === "Octavo demo")?.id ?? items[0].id;
  const spaces = {};
  for (const [language, files] of Object.entries(SPACES)) {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, language, name)), { recursive: true });
      writeFileSync(join(folder, language, name), content);
    }
    const made = execFileSync(values.octavo, ["import", join(folder, language), "--title", `Looks ${language}`, "--organization", organization, "--data-dir", values["data-dir"], "--json"], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, OCTAVO_LOG: "error" } });
    spaces[language] = JSON.parse(made).space;
    await api(`/spaces/${spaces[language]}`, "PATCH", { language });
  }
  await annotate(spaces.en);
  const { id } = await api(`/orgs/${organization}/sites`, "POST", { title: "Looks", spaces: Object.values(spaces) });
  const at = `/orgs/${organization}/sites/${id}`;
  for (let number = 1; number < SECTIONS; number++) await api(`${at}/sections`, "POST", { title: `Another section ${number}`, spaceId: null });
  await api(`${at}/publish`, "POST");
  const { items: variants } = await api(`${at}/site-spaces?limit=100`);
  const address = (space) => variants.find((variant) => variant.space.id === space).urls.published.replace(/\/?$/, "/");
  const { items: sections } = await api(`${at}/sections?limit=100`);
  return { at, home: address(spaces.en), ar: address(spaces.ar), de: address(spaces.de), last: sections.at(-1).urls.published };
}

const PARTS = { title: ".o-logo", search: ".o-search", link: ".o-links a[href$='/blog']", menu: ".o-links summary", section: ".o-sections a", language: ".o-language > summary", account: ".o-header .o-social a, .o-side .o-social a", theme: ".o-theme" };

/** The parts of the header that a visitor cannot click. Runs in the page. */
function unreachable(parts) {
  const reached = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return false;
    element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    const { left, top, width, height } = element.getBoundingClientRect();
    return width > 0 && element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  return Object.keys(parts).filter((name) => ![...document.querySelectorAll(parts[name])].some(reached));
}

async function reach(tab, where, page) {
  for (const scripts of [true, false]) {
    await tab.scripts(scripts);
    const { theme, ...others } = PARTS;
    const parts = scripts ? PARTS : others;
    for (const width of [1280, 360]) {
      await tab.size(width);
      await tab.goto(page);
      let missing = await tab.evaluate(unreachable, parts);
      if (scripts && width === 360) {
        await tab.evaluate(() => scrollTo(0, 0));
        await tab.click(".o-menu");
        await tab.until("the sheet", () => "sheet" in document.documentElement.dataset);
        const inside = await tab.evaluate(unreachable, parts);
        missing = missing.filter((name) => inside.includes(name));
      }
      if (missing.length > 0) fault(where, `parts of the header at ${width} px ${scripts ? "with" : "without"} scripts`, `${missing.join(", ")} cannot be reached at ${page}`);
    }
  }
  await tab.scripts(true);
}

/** What is wrong with a page in Arabic. Runs in the page. */
function mirrored() {
  const faults = [], side = document.querySelector(".o-side"), left = (element) => element.getBoundingClientRect().left;
  const direction = (selector) => getComputedStyle(document.querySelector(selector)).direction;
  if (direction("html") !== "rtl" || (side.checkVisibility() && left(side) < left(document.querySelector(".o-main")))) faults.push("it is not mirrored");
  for (const selector of ["pre code", ".o-text :not(pre) > code", ".o-legal bdi", ".o-announce p"]) if (direction(selector) !== "ltr") faults.push(`${selector} is not written from left to right`);
  if (left(document.querySelector(".o-legal bdi")) < left(document.querySelector(".o-legal .o-social"))) faults.push("the copyright is not at the start of its line");
  if (!/\p{Script=Arabic}/u.test(document.querySelector(".o-search").textContent)) faults.push("the interface is not in Arabic");
  return faults;
}

/** What is covered by something else. Runs in the page. */
function covered() {
  const text = document.createRange();
  text.selectNodeContents(document.querySelector("h1"));
  const { left, top, height } = text.getBoundingClientRect();
  const faults = document.elementFromPoint(left + 4, top + height / 2)?.closest("h1") ? [] : ["the title is below the cover"];
  const outline = document.querySelector(".o-toc-small");
  if (outline.checkVisibility()) {
    const box = outline.getBoundingClientRect();
    if ([4, box.height - 4].some((y) => !document.elementFromPoint(box.left + 20, box.top + y)?.closest(".o-toc-small"))) faults.push("the outline is below the cover");
  }
  return faults;
}

/** Whether a visitor sees which section is read. Runs in the page. */
function sectionIsSeen() {
  const seen = (element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return element.checkVisibility() && width > 0 && left >= -1 && right <= innerWidth + 1;
  };
  return [...document.querySelectorAll(".o-sections [aria-current], .o-sections [data-current]")].some(seen);
}

/** What cannot be read while it is pointed at: the contrast of everything that reacts to a pointer, as if one were on it. */
async function pointedAt(tab) {
  await tab.call("DOM.enable");
  await tab.call("CSS.enable");
  const { root } = await tab.call("DOM.getDocument", { depth: 0 });
  const { nodeIds } = await tab.call("DOM.querySelectorAll", { nodeId: root.nodeId, selector: "a, button, summary, label" });
  for (const nodeId of nodeIds) await tab.call("CSS.forcePseudoState", { nodeId, forcedPseudoClasses: ["hover"] });
  const found = await tab.evaluateApart(async () => {
    const { violations } = await axe.run(document, { runOnly: { type: "rule", values: ["color-contrast"] } });
    return violations.flatMap(({ nodes }) => nodes.map(({ html, any: [{ message }] }) => `${html.slice(0, 120)} (${message.slice(0, 160)})`));
  });
  await tab.call("CSS.disable");
  await tab.call("DOM.disable");
  // The inspector reads the style of the page again, from the cache alone.
  tab.faults = tab.faults.filter((text) => text !== "a request fails: net::ERR_CACHE_MISS");
  return found;
}

/** Twenty links and a long title: nothing is wider than the window, the title is seen, and a menu has the links without room. */
async function manyLinks(tab, { at, home }) {
  const title = "The documentation of everything that this company has ever made, in all of its versions";
  const links = Array.from({ length: 20 }, (_, number) => link(`link-${number}`, "link"));
  await api(`${at}/customization`, "PUT", { title, header: { links } });
  for (const scripts of [true, false]) {
    await tab.scripts(scripts);
    for (const width of [1280, 1024, 360]) {
      await tab.size(width);
      await tab.goto(home);
      const where = `${width} px ${scripts ? "with" : "without"} scripts`;
      const wide = await tab.evaluate(overflow);
      if (wide) fault(home, `many links at ${where}`, wide);
      if (await tab.evaluate(() => document.querySelector(".o-logo").getBoundingClientRect().width < 80)) fault(home, `many links at ${where}`, "the title has no room");
      if (scripts && width > 360 && (await tab.evaluate(() => !document.querySelector(".o-links .o-rest a")))) fault(home, `many links at ${where}`, "no menu has those without room");
    }
  }
  await tab.scripts(true);
}

async function once(tab, { home, last }) {
  for (const [width, height] of [[1280, 450], [320, 256]]) {
    await tab.size(width, height);
    await tab.goto(`${home}words`);
    const wide = await tab.evaluate(overflow);
    if (wide) fault(`${home}words`, `long words at ${width} px`, wide);
    await tab.evaluate(() => scrollTo({ top: 300, behavior: "instant" }));
    if (await tab.evaluate(() => document.querySelector(".o-header").getBoundingClientRect().bottom > 0)) fault(home, `header in a window of ${width} x ${height}`, "it stays over the text");
    // The title in lists of pages: those that are near, and those that were found.
    for (const list of [`${home}wordz`, `${home}~/search?q=${LONG}`]) {
      tab.expected.add(list);
      await tab.goto(list);
      if (!(await tab.evaluate((word) => document.querySelector("main").textContent.includes(word), LONG))) fault(list, "long words", "the page with them is not in the list");
      const wide = await tab.evaluate(overflow);
      if (wide) fault(list, `long words at ${width} px`, wide);
    }
  }
  for (const width of [1280, 360]) {
    await tab.size(width);
    for (const page of ["full", "background"]) {
      await tab.goto(home + page);
      for (const what of await tab.evaluate(covered)) fault(home + page, `cover at ${width} px`, what);
    }
    await tab.goto(last);
    await tab.until("the section that is read", sectionIsSeen).catch((error) => fault(last, `sections at ${width} px`, error.message));
  }
  await tab.browser.call("Browser.grantPermissions", { origin: tab.origin, permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"], browserContextId: tab.browserContextId });
  await tab.size(1280);
  await tab.goto(`${home}code`);
  if (!(await tab.evaluate(() => !!document.querySelector("pre .o-note-mark")))) fault(`${home}code`, "copying", "the code has no note");
  await tab.click("figure.o-code .o-copy");
  await tab.until("the code without its notes", async () => (await navigator.clipboard.readText()) === "let a = 1;").catch(async () => fault(`${home}code`, "copying", `copied is ${await tab.evaluate(() => navigator.clipboard.readText())}`));
}

async function run(browser, folder) {
  const site = await publish(folder);
  const tab = await browser.tab(site.home);
  for (const [number, look] of LOOKS.entries()) {
    const where = `look ${number + 1} (${look.styling.theme}, header ${look.header.preset})`;
    await api(`${site.at}/customization`, "PUT", { ...SETTINGS, styling: look.styling, header: { ...look.header, links: LINKS } });
    await tab.media();
    if (number === 0) await once(tab, site);
    for (const page of [site.home, `${site.home}landing`, site.ar]) await reach(tab, where, page);
    for (const [width, scheme] of [[1280, "light"], [360, "dark"]]) {
      await tab.size(width);
      await tab.media({ scheme });
      for (const page of [site.home, site.ar, site.de, `${site.home}background`]) {
        await tab.goto(page);
        const wide = await tab.evaluate(overflow);
        if (wide) fault(where, `sideways scrolling at ${width} px`, `${page} is ${wide}`);
        if (page === site.ar) for (const what of await tab.evaluate(mirrored)) fault(where, `page in Arabic at ${width} px`, what);
        if (page === site.de) continue;
        await tab.evaluateApart(axe);
        for (const what of await tab.evaluateApart(audit)) fault(where, `axe at ${width} px, ${scheme}, ${page}`, what);
        if (page === site.home) for (const what of await pointedAt(tab)) fault(where, `contrast of what is pointed at, ${width} px, ${scheme}`, what);
      }
    }
    for (const what of tab.take()) fault(where, "requests and messages", what);
  }
  await manyLinks(tab, site);
  for (const what of tab.take()) fault("many links", "requests and messages", what);
  await tab.close();
  console.log(`${LOOKS.length} looks of a site in ${Object.keys(SPACES).length} languages`);
}

const folder = mkdtempSync(join(tmpdir(), "octavo-looks-"));
let browser;
try {
  browser = await launch();
  await run(browser, folder);
} catch (error) {
  faults.add(`looks: ${error.message}`);
}
await browser?.close();
rmSync(folder, { recursive: true, force: true });
for (const what of faults) console.error(what);
console.log(`${faults.size} faults`);
process.exit(faults.size > 0 ? 1 : 0);
