// Imports hostile content and settings, publishes them as a site, and looks at it in headless Chromium:
//
//   node dev/hostile.mjs URL --token TOKEN --octavo PROGRAM --data-dir FOLDER --tools FOLDER
//
// URL is that of a running server with this data folder; the sample of `octavo demo` is there. No script of the content
// runs, nothing is asked of another host, the policy stops nothing because nothing tries, the frame of the page stays
// whole, and settings that are no colours or addresses are refused. Every fault is printed with its page, and the exit
// code is 1 if there is one. `--tools` is that of dev/site.mjs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { launch } from "./browser.mjs";
import { validity } from "./site/crawl.mjs";
import { FOREIGN, PAYLOADS, REFUSED, SPECS, folder, settings } from "./site/payloads.mjs";

const text = { type: "string" };
const { values, positionals: [url] } = parseArgs({ allowPositionals: true, options: { token: text, octavo: text, "data-dir": text, tools: text } });
if (!url || !values.token || !values.octavo || !values["data-dir"] || !values.tools) {
  console.error("usage: node dev/hostile.mjs URL --token TOKEN --octavo PROGRAM --data-dir FOLDER --tools FOLDER");
  process.exit(64);
}

const faults = new Set();
// How many forms that try operations were filled in.
let tried = 0;
const fault = (where, rule, what) => faults.add(`${where}: ${rule}: ${what}`);

async function api(path, method = "GET", body) {
  const headers = { authorization: `Bearer ${values.token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.text();
  return { status: response.status, body: answer && JSON.parse(answer) };
}
async function must(path, method, body) {
  const { status, body: answer } = await api(path, method, body);
  if (status >= 300) throw new Error(`${method ?? "GET"} ${path} is answered ${status}: ${JSON.stringify(answer)}`);
  return answer;
}

/** What of a document came from its content and could do something. Runs in the page. */
function suspicious(foreign) {
  const faults = [];
  const found = (what, element) => faults.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
  if (globalThis.hit !== undefined) faults.push("a script ran");
  const own = (address) => new URL(address, location.href).origin === location.origin;
  let inline = 0;
  for (const script of document.querySelectorAll("script")) {
    if (script.type === "application/ld+json") {
      try { JSON.parse(script.textContent); } catch (error) { found(`data that is no JSON (${error.message})`, script); }
    } else if (script.src) { if (!own(script.src) || !new URL(script.src).pathname.includes("/~/assets/")) found("a script", script); }
    else if (++inline > 1) found("a second script in the page", script);
  }
  for (const element of document.querySelectorAll("iframe, object, embed, base, meta[http-equiv], video, audio, foreignObject, use, animate, set, maction, frame, applet, portal")) found("an element that no page has", element);
  if (document.querySelectorAll("style").length > 1) found("a second style", document.querySelectorAll("style")[1]);
  for (const sheet of document.querySelectorAll("link[rel~=stylesheet]")) if (!own(sheet.href) || !new URL(sheet.href).pathname.includes("/~/assets/")) found("a style sheet", sheet);
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name)) found(`a handler, ${name}`, element);
      if (name === "style" && !document.documentElement.contains(element.closest("math"))) found("a style attribute", element);
      if (/^(href|src|action|formaction|xlink:href|poster|data|cite|ping|srcset|srcdoc|background)$/i.test(name)) {
        const scheme = value.replace(/[\s\u0000-\u001f]/g, "").match(/^([a-z][a-z0-9+.-]*):/i)?.[1].toLowerCase();
        const icon = element.matches("link[rel=icon]") && scheme === "data";
        if (scheme && !["http", "https", "mailto", "tel"].includes(scheme) && !icon) found(`a scheme, ${scheme}`, element);
        if (!["A", "LINK"].includes(element.tagName) && value.includes(foreign) && !own(value)) found("something of another host", element);
      }
    }
    if (element.tagName === "FORM" && !own(element.action)) found("a form that leads to another host", element);
    if (element.tagName === "LINK" && !own(element.href) && !/canonical|alternate/.test(element.rel) && !element.href.startsWith("data:")) found("a link to another host", element);
  }
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  const twice = [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))];
  if (twice.length > 0) faults.push(`an id is there twice: ${twice.join(", ")}`);
  if (document.querySelectorAll("main").length !== 1 || !document.querySelector("body > .o-shell > main")) faults.push("the frame is broken: main");
  if (document.querySelectorAll("h1").length !== 1) faults.push(`${document.querySelectorAll("h1").length} titles`);
  if (document.querySelector("main .o-header, .o-text .o-shell, .o-text .o-side")) faults.push("content has a class of the frame");
  const wide = document.scrollingElement.scrollWidth - innerWidth;
  if (wide > 0) faults.push(`the page is ${wide} px too wide`);
  for (const details of document.querySelectorAll("details")) details.open = true;
  return faults;
}

// The server cannot fetch pictures of a host that is not there: that is no fault of the page.
// A link in a summary is odd, but it is what the content says.
const harmless = (what) => what.includes("InteractiveContentSummaryDescendant") || /\/~\/external\//.test(what) || /^error of network: Failed to load resource: the server responded with a status of (404|502)/.test(what);

async function look(tab, where, documents) {
  await tab.goto(where);
  for (const what of await tab.evaluate(suspicious, FOREIGN)) fault(where, "hostile content", what);
  // The forms that try operations, filled in. Nothing is sent.
  const forms = await tab.evaluate(() => {
    const buttons = [...document.querySelectorAll("button.o-try")].filter(({ hidden }) => !hidden).slice(0, 4);
    buttons.forEach((button) => button.click());
    return buttons.length;
  });
  if (forms > 0) {
    await tab.until("the forms", () => document.querySelector(".o-try-form"));
    await tab.settle();
    await tab.evaluate((payload) => {
      for (const field of document.querySelectorAll(".o-try-form :is(input:not([type=file]), textarea)")) {
        field.value = payload;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }, PAYLOADS[0]);
    for (const what of await tab.evaluate(suspicious, FOREIGN)) fault(where, "hostile content in a form", what);
    tried += forms;
  }
  // Open details show their content; the pointer goes over it.
  await tab.call("Input.dispatchMouseEvent", { type: "mouseMoved", x: 500, y: 300 });
  await tab.settle();
  if (await tab.evaluate(() => globalThis.hit !== undefined)) fault(where, "hostile content", "a script ran");
  for (const what of tab.take()) if (!harmless(what)) fault(where, "requests and messages", what);
  if (documents) documents.set(where, await (await fetch(where)).text());
}

async function run(browser, pages) {
  const { items } = await must("/orgs?limit=100");
  const organization = items.find(({ title }) => title === "Octavo demo")?.id ?? items[0].id;
  for (const [slug, document] of SPECS) await must(`/orgs/${organization}/openapi/${slug}`, "PUT", { source: { text: JSON.stringify(document) } });
  for (const [slug] of SPECS) {
    for (let left = 300; (await must(`/orgs/${organization}/openapi/${slug}`)).processingState !== "complete"; left -= 1) {
      if (left === 0) throw new Error(`${slug} is not processed`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  execFileSync(values.octavo, ["import", pages, "--title", "Hostile <script>globalThis.hit=1</script>", "--organization", organization, "--data-dir", values["data-dir"]], { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, OCTAVO_LOG: "error" } });
  const spaces = await must(`/orgs/${organization}/spaces?limit=100`);
  const space = spaces.items.findLast(({ title }) => title.startsWith("Hostile"));
  const site = await must(`/orgs/${organization}/sites`, "POST", { title: `Hostile </title><script>globalThis.hit=1</script>`, spaces: [space.id] });
  const at = `/orgs/${organization}/sites/${site.id}`;
  await must(`${at}/publish`, "POST");
  const { urls } = await must(at);
  const home = urls.published.replace(/\/?$/, "/");

  const documents = new Map();
  const tab = await browser.tab(home);
  await tab.media();
  await tab.size(1280);
  await tab.goto(home);
  const navigation = await tab.evaluate(() => [...new Set([...document.querySelectorAll(".o-nav a")].map(({ href }) => href.split("#")[0]))]);
  const own = navigation.filter((href) => href.startsWith(home));
  const generated = await tab.evaluate(() => [...document.querySelectorAll(".o-nav a")].filter(({ textContent }) => textContent.includes("globalThis.hit")).length);
  if (own.length < 60 || generated < PAYLOADS.length) fault(home, "hostile content", `the navigation has ${own.length} pages, ${generated} with hostile titles`);
  // What visitors send is no markup either. An address with a NUL is refused before any page is rendered.
  const sent = PAYLOADS.map((payload) => encodeURIComponent(payload.replaceAll("\u0000", "")));
  const left = [...new Set([home, ...own]), ...sent.flatMap((text) => [`${home}~/search?q=${text}`, `${home}${text}`])];
  const other = await browser.tab(home);
  for (const each of [tab, other]) {
    await each.media();
    await each.size(1280);
    sent.forEach((text) => each.expected.add(home + text));
  }
  const worker = async (tab) => {
    for (let page; (page = left.shift()); ) await look(tab, page, own.includes(page) || page === home ? documents : undefined);
  };
  await Promise.all([worker(tab), worker(other)]);
  await other.close();
  // The search dialog shows titles and texts of the pages.
  await tab.goto(home);
  await tab.press("k", { ctrl: true });
  await tab.until("the search dialog", () => document.activeElement?.matches("dialog input"));
  await tab.type("hostile script");
  await tab.until("results", () => document.querySelectorAll("dialog [role=option]").length > 3);
  if (await tab.evaluate(() => globalThis.hit !== undefined || !!document.querySelector("dialog script, dialog img, dialog iframe"))) fault(home, "hostile content", "a result of the search is markup");
  for (const what of tab.take()) fault(home, "requests and messages of the search dialog", what);

  // Files: a picture opened by itself runs nothing, and what browsers could run is a download.
  const files = await tab.evaluate(() => [...document.querySelectorAll("a[href*='/~/files/']")].map(({ href }) => href));
  const svg = files.find((href) => href.includes(".svg")), html = files.find((href) => href.includes(".html"));
  if (!svg || !html) fault(home, "files", `links to the picture and to the document: ${files.join(", ")}`);
  for (const file of [svg, html].filter(Boolean)) {
    const { headers } = await fetch(file);
    const policy = headers.get("content-security-policy") ?? "", sent = headers.get("content-disposition") ?? "";
    if (headers.get("x-content-type-options") !== "nosniff") fault(file, "files", "no nosniff");
    if (!/sandbox/.test(policy) && !sent.startsWith("attachment")) fault(file, "files", `neither in a sandbox nor a download: ${policy}, ${sent}`);
    if (sent.startsWith("attachment")) continue;
    await tab.goto(file);
    if (await tab.evaluate(() => globalThis.hit !== undefined).catch(() => false)) fault(file, "files", "a script of the picture ran");
    for (const what of tab.take()) if (/asks another origin|dialog/.test(what)) fault(file, "files", what);
  }

  if (tried === 0) fault(home, "hostile content", "no operation can be tried");
  const [first, second] = [own[0], own.at(-1)];
  for (const [path, value] of REFUSED) {
    const body = path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value);
    const { status, body: answer } = await api(`${at}/customization`, "PUT", body);
    if (status !== 400 && status !== 422) fault(path, "settings", `${JSON.stringify(value)} is answered ${status}: ${JSON.stringify(answer?.error ?? "")}`);
  }
  const links = { header: { links: [{ title: "x", style: "link", to: { kind: "url", url: "javascript:globalThis.hit=1" }, links: [] }] } };
  if ((await api(`${at}/customization`, "PUT", links)).status < 400) fault("header.links", "settings", "javascript: is accepted");
  for (const payload of PAYLOADS) {
    const { status, body } = await api(`${at}/customization`, "PUT", settings(payload));
    if (status >= 500) fault("customization", "settings", `${JSON.stringify(payload)} is answered ${status}`);
    if (status >= 400) {
      // A character that no text may have, for instance: the rest is tried without it.
      if (!/announcement|title|copyright|message/.test(body.error.message)) fault("customization", "settings", `${JSON.stringify(payload)}: ${body.error.message}`);
      continue;
    }
    await look(tab, first ?? home, undefined);
    const seen = await tab.evaluate(() => document.title);
    if (!seen.includes("x")) fault(home, "settings", `the title is ${seen}`);
  }
  documents.set(`${second} with settings`, await (await fetch(second)).text());
  await tab.close();
  // Elements of content that remain in other places than they should be are not valid, and do no harm.
  const odd = /attribute “href” on element “a”|“a” is missing required attribute “href”|^The heading|[Ee]lement “(summary|details)”|an element of the same type was already open|Stray end tag “a”/;
  const valid = await validity([...documents], join(values.tools, "node_modules/vnu-jar/build/dist/vnu.jar"), (where, rule, what) => odd.test(what) || fault(where, rule, what));
  console.log(`${own.length} hostile pages with ${tried} forms, ${PAYLOADS.length} texts sent and set, ${REFUSED.length + 1} settings to be refused, ${valid} documents validated`);
}

const pages = mkdtempSync(join(tmpdir(), "octavo-hostile-"));
let browser;
try {
  folder(pages);
  browser = await launch();
  await run(browser, pages);
} catch (error) {
  faults.add(`hostile content: ${error.message}`);
}
await browser?.close();
rmSync(pages, { recursive: true, force: true });
for (const what of faults) console.error(what);
console.log(`${faults.size} faults`);
process.exit(faults.size > 0 ? 1 : 0);
