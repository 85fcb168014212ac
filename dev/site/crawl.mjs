// Reads a site without a browser: every page that its sitemap names is there and names itself, every link and image leads
// somewhere, and its HTML is valid.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const MOST = 1_000;
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const decoded = (text) => text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, number, name) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : number ? String.fromCodePoint(+number) : NAMED[name] ?? whole));

/** Runs an action for each of a list, eight at a time. */
async function each(list, action) {
  const left = [...list];
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let next; (next = left.shift()) !== undefined; ) await action(next);
  }));
}

/** The attributes of the elements of a document: pairs of `element.name` and value. */
function* attributes(html) {
  for (const [, element, rest] of html.replace(/<!--.*?-->/gs, "").matchAll(/<([a-z][\w-]*)((?:\s+[^\s=>"']+(?:=(?:"[^"]*"|'[^']*'|[^\s>"']+))?)*)\s*\/?>/g)) {
    for (const [, name, double, single, bare] of rest.matchAll(/([^\s=>"']+)=(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/g)) {
      yield [element.toLowerCase(), name.toLowerCase(), decoded(double ?? single ?? bare)];
    }
  }
}

const LEADS = new Set(["a.href", "area.href", "link.href", "img.src", "script.src", "source.src", "iframe.src", "video.src", "form.action", "button.data-copy", "html.data-search"]);

/** Reads all pages. `beside` are addresses of the same origin that are no part of the site. Returns a line about what was read. */
export async function crawl(site, { beside, vnu }, fault) {
  const get = async (url) => fetch(url, { redirect: "manual", headers: { accept: "text/html,*/*;q=0.8" } });
  const text = async (url) => {
    const response = await get(url);
    if (response.status !== 200) fault(url, "sitemap", `is answered ${response.status}`);
    return response.text();
  };
  const locations = (xml) => [...xml.matchAll(/<loc>\s*([^<]+?)\s*<\/loc>/g)].map(([, url]) => decoded(url));
  const maps = locations(await text(new URL("sitemap.xml", site)));
  const pages = (await Promise.all(maps.map(text))).flatMap(locations);
  if (pages.length < 3) fault(site.href, "sitemap", `names ${pages.length} pages`);
  if (new Set(pages).size !== pages.length) fault(site.href, "sitemap", "names a page twice");

  const documents = new Map(); // Address to HTML and ids.
  const read = async (url, status) => {
    const response = await get(url);
    const html = await response.text();
    if (response.status !== status) return fault(url, "links", `is answered ${response.status}`);
    const all = [...attributes(html)];
    documents.set(url, { html, all, ids: new Set(all.filter(([, name]) => name === "id").map(([, , id]) => id)) });
  };
  const outside = beside.map((path) => new URL(path, site).href);
  const fixed = new Set(pages);
  await each([...pages, ...outside], (url) => read(url, 200));
  // Pages beside the site are found by their links.
  const more = new Set(outside.flatMap((start) => (documents.get(start)?.all ?? []).filter(([element, name]) => element === "a" && name === "href").map(([, , href]) => new URL(href, start)).filter(({ href }) => href.startsWith(start)).map(({ origin, pathname }) => origin + pathname)));
  await each([...more].filter((url) => !documents.has(url) && !url.endsWith(".md")).slice(0, MOST), (url) => read(url, 200));
  await read(new URL("~/search?q=pressure", site).href, 200);
  await read(new URL("no/such/page", site).href, 404);

  const links = new Map(); // Address without anchor to where it is, with the anchors.
  for (const [url, { all }] of documents) {
    const canonical = all.find(([element, name, value], at) => element === "link" && name === "rel" && value === "canonical" && all[at + 1]);
    if (fixed.has(url) && canonical) {
      const href = all[all.indexOf(canonical) + 1];
      if (href[1] === "href" && href[2] !== url) fault(url, "canonical", `is ${href[2]}`);
    } else if (fixed.has(url)) fault(url, "canonical", "has none");
    for (const [element, name, value] of all) {
      const targets = name === "srcset" ? value.split(",").map((part) => part.trim().split(/\s+/)[0]) : LEADS.has(`${element}.${name}`) ? [value] : [];
      for (const target of targets) {
        if (!URL.canParse(target, url)) { fault(url, "links", `cannot be read: ${target}`); continue; }
        const to = new URL(target, url);
        if (to.protocol !== "http:" && to.protocol !== "https:") continue;
        if (to.origin !== site.origin) {
          if (!["a", "area"].includes(element) && !(element === "link")) fault(url, "links", `<${element} ${name}> leads to another origin: ${target}`);
          continue;
        }
        const anchor = to.hash.slice(1);
        to.hash = "";
        const known = links.get(to.href) ?? { from: url, anchors: new Map(), form: element === "form" };
        if (anchor && element === "a") known.anchors.set(decodeURIComponent(anchor), url);
        links.set(to.href, known);
      }
    }
  }
  const targets = [...links].filter(([, { form }]) => !form);
  if (targets.length > 10 * MOST) fault(site.href, "links", `${targets.length} addresses are too many to check`);
  await each(targets.slice(0, 10 * MOST), async ([url, { from, anchors }]) => {
    if (!documents.has(url)) {
      const response = await get(url);
      const type = response.headers.get("content-type") ?? "";
      const body = await response.text();
      if (response.status !== 200) return fault(from, "links", `${url} is answered ${response.status}`);
      if (!type.startsWith("text/html") || anchors.size === 0) return;
      documents.set(url, { html: null, ids: new Set([...attributes(body)].filter(([, name]) => name === "id").map(([, , id]) => id)) });
    }
    const { ids } = documents.get(url);
    for (const [anchor, where] of anchors) if (!ids.has(anchor)) fault(where, "links", `${url}#${anchor} leads to no element`);
  });

  const valid = await validity([...documents].filter(([, { html }]) => html !== null).map(([url, { html }]) => [url, html]), vnu, fault);
  return `${pages.length} pages in the sitemap, ${targets.length} addresses followed, ${valid} documents validated`;
}

/** Has every document checked by the Nu Html Checker. Returns how many. */
export async function validity(documents, vnu, fault) {
  const folder = mkdtempSync(join(tmpdir(), "octavo-html-"));
  const names = new Map();
  try {
    for (const [url, html] of documents) {
      const name = join(folder, `${names.size}.html`);
      names.set(`file:${name}`, url);
      writeFileSync(name, html);
    }
    // It ends with 1 when there are errors.
    const run = promisify(execFile)("java", ["-jar", vnu, "--errors-only", "--exit-zero-always", "--format", "json", folder], { maxBuffer: 64 << 20 });
    const { messages } = JSON.parse((await run).stderr);
    const seen = new Map();
    for (const { url, type, message, extract, lastLine } of messages) {
      // A rule that is newer than the checker.
      if (type === "info" || message.includes("@view-transition")) continue;
      // One fault of the frame is in every document: it is reported once.
      const times = seen.get(message) ?? [];
      times.push(names.get(url) ?? url);
      seen.set(message, times);
      if (times.length === 1) times.extract = `line ${lastLine}: ${(extract ?? "").replace(/\s+/g, " ").slice(0, 160)}`;
    }
    for (const [message, times] of seen) fault(times[0], "valid HTML", `${message} (${times.length} times, ${new Set(times).size} documents; ${times.extract})`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return names.size;
}
