// Rules that every page of a site keeps: nothing from elsewhere, no message, nothing that axe-core finds, no shift, nothing
// wider than the window, readable without scripts, fit to be printed.
import { createServer } from "node:http";

/** Runs in each page before its own scripts: notes shifts of the layout and the ground of each frame. */
export function watch() {
  const shifts = [], resized = [];
  const seen = {
    grounds: [],
    /** How far the layout shifted by itself, and what was shifted. */
    shifted() {
      // A new tab has the browser's own size for a moment.
      const own = shifts.filter(({ at }) => !resized.some((time) => Math.abs(at - time) < 150));
      return { shift: own.reduce((sum, { value }) => sum + value, 0), what: [...new Set(own.flatMap(({ what }) => what))].slice(0, 4).join(" | ") };
    },
  };
  Object.defineProperty(globalThis, "seen", { value: seen });
  addEventListener("resize", () => resized.push(performance.now()));
  const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  new PerformanceObserver((list) => {
    for (const { value, startTime, hadRecentInput, sources } of list.getEntries()) {
      const what = sources.map(({ node, previousRect, currentRect }) => `${node?.outerHTML?.slice(0, 60) ?? node?.nodeName ?? "?"} from ${place(previousRect)} to ${place(currentRect)}`);
      if (!hadRecentInput) shifts.push({ at: startTime, value, what });
    }
  }).observe({ type: "layout-shift", buffered: true });
  const frame = () => {
    const ground = document.body && [document.body, document.documentElement].map((element) => getComputedStyle(element).backgroundColor).find((colour) => !/^(transparent|rgba\(0, 0, 0, 0\))$/.test(colour));
    if (ground && seen.grounds.at(-1) !== ground) seen.grounds.push(ground);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** What of a page is wider than the window. */
export function overflow() {
  const root = document.scrollingElement;
  if (root.scrollWidth <= root.clientWidth) return null;
  const cut = (element) => {
    for (let above = element.parentElement; above && above !== document.body; above = above.parentElement) {
      if (getComputedStyle(above).overflowX !== "visible") return true;
    }
    return false;
  };
  const wide = [...document.body.querySelectorAll("*")].filter((element) => element.getBoundingClientRect().right > root.clientWidth + 1 && !cut(element));
  return `${root.scrollWidth} px wide: ${wide.slice(0, 3).map((element) => element.outerHTML.slice(0, 120)).join(" | ")}`;
}

function chooseTheme(theme) {
  theme ? localStorage.setItem("octavo-theme", theme) : localStorage.removeItem("octavo-theme");
}

/** What axe-core finds. Runs apart from the page's own scripts; `axe` is there. */
export async function audit() {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } });
  return violations.map(({ id, help, nodes }) => {
    const [{ html, any, all, none }] = nodes;
    const data = [...any, ...all, ...none].map(({ message }) => message).join("; ");
    return `${id}: ${help}, ${nodes.length} times: ${html.slice(0, 160)} (${data.slice(0, 240)})`;
  });
}

/** What must not be seen in print, and what must. */
function printed() {
  const faults = [];
  const shown = (element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false }) && element.getClientRects().length > 0;
  for (const selector of [".o-header", ".o-side", ".o-toc", ".o-toc-small", ".o-actions", ".o-pager", ".o-feedback", ".o-skip"]) {
    if ([...document.querySelectorAll(selector)].some(shown)) faults.push(`${selector} is printed`);
  }
  if (!shown(document.querySelector("main"))) faults.push("the text is not printed");
  for (const details of document.querySelectorAll(".o-text details:not(.o-drop)")) {
    const content = [...details.children].find((child) => child.localName !== "summary" && child.textContent.trim());
    if (content && (!shown(content) || content.getBoundingClientRect().height === 0)) faults.push(`details stay closed: ${details.outerHTML.slice(0, 100)}`);
  }
  for (const panel of document.querySelectorAll("o-tabs > section")) {
    if (!shown(panel)) faults.push(`a tab is not printed: ${panel.dataset.tab}`);
  }
  for (const code of document.querySelectorAll(".o-text pre")) {
    if (code.scrollWidth > code.clientWidth + 1) faults.push(`a line of code is cut: ${code.textContent.slice(0, 80)}`);
  }
  for (const table of document.querySelectorAll(".o-table")) {
    if (table.scrollWidth > table.clientWidth + 1 || table.scrollHeight > table.clientHeight + 1) faults.push(`a table is cut: ${table.ariaLabel}`);
  }
  return faults;
}

/** What a page without scripts lacks. */
function withoutScripts() {
  const faults = [];
  const shown = (element) => element?.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  // Of sections far from the screen, innerText is empty: their layout is skipped until they come near.
  for (const section of document.querySelectorAll(".o-api")) section.style.contentVisibility = "visible";
  if (!document.querySelector("main h1")) faults.push("there is no title");
  if (!(document.querySelector("main")?.innerText.trim().length > 20)) faults.push("there is no text");
  if (document.documentElement.classList.contains("js")) faults.push("the page believes that scripts run");
  for (const panel of document.querySelectorAll("o-tabs > section")) {
    if (!shown(panel)) faults.push(`a tab cannot be read: ${panel.dataset.tab}`);
    else if (!panel.innerText.includes(panel.dataset.tab.trim())) faults.push(`a tab has no title: ${panel.dataset.tab}`);
  }
  for (const dead of document.querySelectorAll("button:not([popovertarget], [type=submit], form button)")) {
    if (shown(dead)) faults.push(`a button does nothing: ${dead.outerHTML.slice(0, 100)}`);
  }
  for (const code of document.querySelectorAll(".o-code[data-collapse] pre")) {
    if (code.scrollHeight > code.clientHeight + 1) faults.push("code is cut");
  }
  if (!shown(document.querySelector("a.o-search, form[role=search]")) && document.querySelector("a.o-search, form[role=search]")) faults.push("search cannot be reached");
  return faults;
}

const dark = (ground) => {
  const numbers = ground.match(/[\d.]+/g).map(Number);
  // `oklch`, `color(srgb …)`: parts of 1; `rgb`: of 255.
  const light = ground.startsWith("rgb") ? (numbers[0] + numbers[1] + numbers[2]) / 765 : ground.startsWith("color") ? (numbers[0] + numbers[1] + numbers[2]) / 3 : numbers[0];
  return light < 0.5;
};

/** Checks one page, with `runs` of axe-core at each width; `light` if it is so in every theme. `fault(rule, text)` takes what is wrong. */
export async function page(tab, { url, axe, runs = 2, status = 200, light = false }, fault) {
  const note = (rule) => tab.take().forEach((text) => fault(rule, text));
  if (status !== 200) tab.expected.add(url);
  for (const [width, schemes] of [[1280, ["light", "dark"]], [360, ["dark", "light"]]]) {
    await tab.size(width);
    await tab.media({ scheme: schemes[0] });
    await tab.late(250);
    await tab.goto(url);
    await tab.late();
    const document = [...tab.responses.values()].find(({ type }) => type === "Document");
    if (document?.status !== status) fault("status", `${document?.status} instead of ${status}`);
    note("requests and messages");
    const { shift, what, grounds } = await tab.evaluate(() => ({ ...seen.shifted(), grounds: seen.grounds }));
    // The columns of a long table can move by some pixels while its rows arrive.
    if (shift > 0.001) fault(`no shift at ${width} px`, `${shift.toFixed(4)}: ${what}`);
    if (grounds.length === 0 || grounds.some((ground) => dark(ground) !== (schemes[0] === "dark" && !light))) {
      fault("theme of the system at first paint", `${schemes[0]}: ${grounds.join(", ")}`);
    }
    const wide = await tab.evaluate(overflow);
    if (wide) fault(`no sideways scrolling at ${width} px`, wide);
    for (const scheme of axe ? schemes.slice(0, runs) : []) {
      await tab.media({ scheme });
      await tab.evaluateApart(axe);
      for (const found of await tab.evaluateApart(audit)) fault(`axe at ${width} px, ${scheme}`, found);
    }
  }
  await tab.size(720);
  await tab.media({ print: true });
  for (const text of await tab.evaluate(printed)) fault("print", text);
  await tab.media();
  await tab.scripts(false);
  await tab.size(1280);
  await tab.goto(url);
  for (const width of [1280, 360]) {
    await tab.size(width);
    for (const text of await tab.evaluate(withoutScripts)) fault("without scripts", text);
  }
  await tab.scripts(true);
  note("requests and messages");
}

/** The theme of every frame, for each choice that a visitor stored, and each of the system. */
export async function firstPaint(tab, url, fault) {
  await tab.size(1280);
  await tab.goto(url);
  for (const stored of ["light", "dark", "system", null]) {
    for (const scheme of ["light", "dark"]) {
      await tab.evaluate(chooseTheme, stored);
      await tab.media({ scheme });
      await tab.goto(url);
      const grounds = await tab.evaluate(() => seen.grounds);
      const expected = stored === "light" || stored === "dark" ? stored : scheme;
      if (grounds.length !== 1 || dark(grounds[0]) !== (expected === "dark")) {
        fault("theme at first paint", `${stored ?? "nothing"} is stored, the system is ${scheme}: ${grounds.join(", ") || "no ground"}`);
      }
    }
  }
  await tab.evaluate(chooseTheme, null);
  await tab.media();
}

/** Shifts of pages whose HTML arrives in pieces, as from a far server. A proxy makes them so. */
export async function inPieces(browser, urls, fault) {
  const { host } = new URL(urls[0]);
  const proxy = createServer(async ({ url, headers }, response) => {
    const { body, status, headers: answered } = await fetch(`http://${host}${url}`, { headers: { accept: headers.accept ?? "*/*" } });
    const type = answered.get("content-type") ?? "";
    response.writeHead(status, { "content-type": type, "cache-control": type.startsWith("text/html") ? "no-store" : "max-age=600" });
    const whole = Buffer.from(await new Response(body).arrayBuffer());
    const piece = type.startsWith("text/html") ? 1_500 : whole.length;
    for (let at = 0; at < whole.length; at += piece) {
      response.write(whole.subarray(at, at + piece));
      if (piece < whole.length) await new Promise((resolve) => setTimeout(resolve, 40));
    }
    response.end();
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${proxy.address().port}`;
  const tab = await browser.tab(origin);
  await tab.media();
  await tab.observe(watch);
  await tab.size(1280);
  for (const url of urls) {
    const { pathname } = new URL(url);
    // Once before, so that the style sheet is there.
    for (let time = 0; time < 2; time++) await tab.goto(origin + pathname);
    const { shift, what } = await tab.evaluate(() => seen.shifted());
    // The columns of tables take their widths as rows arrive: that moves little, and is how browsers render tables.
    if (shift > 0.01) fault("no shift when a page arrives in pieces", `${url}: ${shift.toFixed(4)}: ${what}`);
  }
  await tab.close();
  proxy.close();
  proxy.closeAllConnections();
}

/** Bytes on the wire of HTML, style sheets and scripts, with their headers. Returns a line that tells them. */
export async function weight(tab, url, { bytes, requests }, fault) {
  await tab.call("Network.setCacheDisabled", { cacheDisabled: true });
  await tab.size(1280);
  await tab.goto(url);
  const text = [...tab.responses.values()].filter(({ type }) => ["Document", "Stylesheet", "Script"].includes(type));
  const others = [...tab.responses.values()].filter((response) => !text.includes(response));
  const sum = text.reduce((sum, response) => sum + response.bytes, 0);
  for (const response of text) {
    if (response.headers["content-encoding"] !== "br") fault("weight", `${response.url} is not compressed with brotli`);
  }
  if (sum > bytes) fault("weight", `${sum} bytes of HTML, style sheets and scripts; at most ${bytes} are allowed`);
  if (text.length > requests) fault("weight", `${text.length} requests; at most ${requests} are allowed`);
  await tab.call("Network.setCacheDisabled", { cacheDisabled: false });
  const each = text.map(({ type, bytes }) => `${type.toLowerCase()} ${bytes}`).join(", ");
  return `${sum} bytes in ${text.length} requests (${each}); ${others.length} others of ${others.reduce((sum, { bytes }) => sum + bytes, 0)} bytes`;
}
