// How visitors use a page: keyboard alone, tabs, theme, the navigation of small screens, copying, the outline; and what works
// without scripts.

const FOCUSED = (selector) => document.activeElement?.matches(selector);

/** From the first key to the last element: the skip link, a focus that is seen, and an end. */
export async function keyboard(tab, { url, width }, fault) {
  await tab.size(width);
  await tab.goto(url);
  await tab.press("Tab");
  const skip = await tab.evaluate(() => {
    const { outerHTML, offsetWidth } = document.activeElement;
    const box = document.activeElement.getBoundingClientRect();
    return { first: document.activeElement.matches("a.o-skip"), seen: offsetWidth > 20 && box.top >= 0 && box.left >= 0, outerHTML: outerHTML.slice(0, 100) };
  });
  if (!skip.first || !skip.seen) fault("keyboard", `the first key leads to ${JSON.stringify(skip)}`);
  await tab.press("Enter");
  await tab.press("Tab");
  if (!(await tab.evaluate(() => document.activeElement.closest("main")))) fault("keyboard", "the skip link does not lead to the text");

  await tab.goto(url);
  const faults = new Map();
  let last = -1, steps = 0, ended = false;
  for (; steps < 700 && !ended; steps++) {
    await tab.press("Tab");
    const state = await tab.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return { end: true };
      globalThis.order ??= new Map([...document.querySelectorAll("*")].map((element, at) => [element, at]));
      const style = getComputedStyle(element);
      const boxes = [...element.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
      // What is seen of a stretched link or a hidden field is another box.
      const inside = boxes.some(({ left, right, top, bottom }) => right > 0 && left < innerWidth && bottom > 0 && top < innerHeight);
      const open = boxes.some(({ left, right, top, bottom }) => {
        for (const [across, down] of [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.15], [0.5, 0.85]]) {
          const found = document.elementFromPoint(left + (right - left) * across, top + (bottom - top) * down);
          if (found && (element.contains(found) || found.contains(element) || element.closest("label")?.contains(found) || (element.id && found.closest(`label[for="${CSS.escape(element.id)}"]`)))) return true;
        }
        return false;
      });
      const ring = (style) => (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) || style.boxShadow !== "none";
      const around = element.closest("label, li, article, form, div");
      const marked = ring(style) || ring(getComputedStyle(element, "::after")) || ring(getComputedStyle(element, "::before")) || (around && ring(getComputedStyle(around)));
      return { at: order.get(element) ?? -1, html: element.outerHTML.slice(0, 110), inside, open, marked, positive: element.tabIndex > 0 };
    });
    if (state.end) { ended = true; break; }
    const note = (what) => faults.set(what, [...(faults.get(what) ?? []), state.html]);
    if (!state.inside) note("the focus is outside of the window");
    else if (!state.open) note("the focus is covered");
    if (!state.marked) note("the focus cannot be seen");
    if (state.positive) note("a tabindex changes the order");
    if (state.at <= last) { // Back at the start: Chromium goes round where the window has no controls.
      ended = state.html.includes("o-skip");
      if (ended) break;
      note("the focus goes back in the text");
      if (state.at === last) break;
    }
    last = state.at;
  }
  for (const [what, where] of faults) fault("keyboard", `at ${width} px, ${what}, ${where.length} times: ${where[0]}`);
  if (!ended) fault("keyboard", `at ${width} px, the focus does not leave the page after ${steps} steps`);
}

/** Tabs: roles, arrow keys, the choice on other pages and after a reload, without a shift. */
export async function tabs(tab, { url }, fault) {
  await tab.size(1280);
  await tab.goto(url);
  const list = () => tab.evaluate(() => [...document.querySelectorAll("o-tabs")].map((tabs) => {
    const own = (selector) => [...tabs.querySelectorAll(selector)].filter((element) => element.closest("o-tabs") === tabs);
    return {
      list: own("[role=tablist]").length === 1, tabs: own("[role=tab]").map((tab) => ({ title: tab.textContent.trim(), on: tab.getAttribute("aria-selected") === "true", stop: tab.tabIndex === 0, panel: !!document.getElementById(tab.getAttribute("aria-controls"))?.matches("[role=tabpanel]") })),
      shown: own("[role=tabpanel]").filter((panel) => panel.checkVisibility({ contentVisibilityAuto: true }) && !panel.hidden).map((panel) => document.getElementById(panel.getAttribute("aria-labelledby"))?.textContent.trim()),
    };
  }));
  const first = (await list())[0];
  if (!first) return fault("tabs", "there are none");
  if (!first.list || first.tabs.length < 2 || first.tabs.some(({ panel }) => !panel)) return fault("tabs", `roles: ${JSON.stringify(first)}`);
  const good = (state, title) => state.shown.length === 1 && state.shown[0] === title && state.tabs.filter(({ on }) => on).length === 1 && state.tabs.find(({ on }) => on).title === title
    && state.tabs.filter(({ stop }) => stop).length === 1;
  const titles = first.tabs.map(({ title }) => title);
  const at = titles.indexOf(first.tabs.find(({ on }) => on)?.title);
  if (!good(first, titles[at])) fault("tabs", `at first: ${JSON.stringify(first)}`);
  await tab.evaluate(() => document.querySelector("o-tabs [role=tab][aria-selected=true]").focus());
  for (const [key, to] of [["End", titles.length - 1], ["Home", 0], ["ArrowRight", 1], ["ArrowLeft", 0], ["ArrowLeft", titles.length - 1]]) {
    await tab.press(key);
    const state = (await list())[0];
    if (!good(state, titles[to])) fault("tabs", `${key} does not lead to ${titles[to]}: ${JSON.stringify(state)}`);
    if ((await tab.evaluate(() => document.activeElement.textContent.trim())) !== titles[to]) fault("tabs", `${key} does not move the focus to ${titles[to]}`);
  }
  const chosen = titles.at(-1);
  await tab.press("Tab");
  if (await tab.evaluate(FOCUSED, "[role=tab]")) fault("tabs", "the next tab is a stop of its own");
  await tab.late(250);
  await tab.goto(url);
  await tab.late();
  if (!good((await list())[0], chosen)) fault("tabs", `the choice is forgotten: ${JSON.stringify((await list())[0])}`);
  const { shift, what } = await tab.evaluate(() => seen.shifted());
  if (shift > 0) fault("tabs", `the remembered choice shifts the page by ${shift}: ${what}`);
  await tab.click("o-tabs [role=tab][aria-selected=false]");
  const clicked = (await list())[0];
  if (clicked.tabs.find(({ on }) => on)?.title === chosen) fault("tabs", "a click chooses nothing");
}

/** The theme toggle: it changes what is seen, goes round, and is remembered. */
export async function theme(tab, { url }, fault) {
  await tab.size(1280);
  await tab.media({ scheme: "light" });
  await tab.goto(url);
  const state = () => tab.evaluate(() => ({ theme: document.documentElement.dataset.theme, ground: getComputedStyle(document.body).backgroundColor + getComputedStyle(document.documentElement).backgroundColor,
    label: document.querySelector("button.o-theme")?.getAttribute("aria-label") ?? document.querySelector("button.o-theme")?.textContent, stored: localStorage.getItem("octavo-theme"),
    bar: [...document.querySelectorAll("meta[name=theme-color]")].find(({ media }) => !media || matchMedia(media).matches)?.content }));
  const seen = [await state()];
  for (let click = 0; click < 3; click++) {
    await tab.click("button.o-theme");
    seen.push(await state());
    await tab.goto(url);
    const after = await state();
    if (after.theme !== seen.at(-1).theme || after.ground !== seen.at(-1).ground) fault("theme", `after a reload ${JSON.stringify(after)} instead of ${JSON.stringify(seen.at(-1))}`);
  }
  const themes = new Set(seen.slice(1).map(({ theme }) => theme));
  if (["light", "dark", "system"].some((theme) => !themes.has(theme))) fault("theme", `three clicks lead to ${[...themes].join(", ")}`);
  const dark = seen.find(({ theme }) => theme === "dark"), light = seen.find(({ theme }) => theme === "light");
  if (dark && light) {
    if (dark.ground === light.ground) fault("theme", "dark looks like light");
    if (dark.label === light.label) fault("theme", `the name of the button does not change: ${dark.label}`);
    if (dark.bar === light.bar) fault("theme", `theme-color does not follow: ${dark.bar}`);
  }
}

/** The navigation of a small screen: a sheet that keeps the focus, and gives it back. */
export async function sheet(tab, { url }, fault) {
  await tab.size(360, 400);
  await tab.goto(url);
  const shown = () => tab.evaluate(() => !!document.querySelector(".o-nav a")?.checkVisibility({ visibilityProperty: true }) && document.querySelector("#side").getBoundingClientRect().right > 0 && document.querySelector("#side").getBoundingClientRect().left < innerWidth);
  if (await shown()) fault("sheet", "it is open at first");
  await tab.click(".o-menu");
  await tab.until("the sheet opened", () => document.querySelector(".o-menu").getAttribute("aria-expanded") === "true" && document.activeElement.closest("#side, .o-side"));
  if (!(await shown())) fault("sheet", "its navigation is not seen");
  const wide = await tab.evaluate(() => document.scrollingElement.scrollWidth > innerWidth);
  if (wide) fault("sheet", "it makes the page scroll sideways");
  const closes = await tab.evaluate(() => {
    const side = document.querySelector("#side");
    side.scrollTop = side.scrollHeight;
    const { top, bottom } = side.querySelector(".o-close").getBoundingClientRect();
    return side.scrollTop > 0 && top >= 0 && bottom <= innerHeight;
  });
  if (!closes) fault("sheet", "the button that closes it scrolls away");
  const outside = [];
  for (let step = 0; step < 60; step++) {
    await tab.press("Tab");
    const where = await tab.evaluate(() => document.activeElement === document.body || document.activeElement.closest("#side, .o-menu, .o-header") ? null : document.activeElement.outerHTML.slice(0, 100));
    if (where) outside.push(where);
  }
  if (outside.length > 0) fault("sheet", `the focus leaves the open sheet: ${outside[0]}`);
  await tab.press("Escape");
  await tab.until("the sheet closed by Esc", () => document.querySelector(".o-menu").getAttribute("aria-expanded") === "false");
  if (!(await tab.evaluate(FOCUSED, ".o-menu"))) fault("sheet", `Esc leaves the focus at ${await tab.evaluate(() => document.activeElement.outerHTML.slice(0, 100))}`);
  if (await shown()) fault("sheet", "Esc does not hide it");
}

/** Copy buttons of code and of the page. */
export async function copying(tab, { url }, fault) {
  await tab.browser.call("Browser.grantPermissions", { origin: tab.origin, permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"], browserContextId: tab.browserContextId });
  await tab.size(1280);
  await tab.goto(url);
  const copied = () => tab.evaluate(() => navigator.clipboard.readText());
  const code = await tab.evaluate(() => document.querySelector("figure.o-code pre code")?.textContent);
  if (code === undefined) fault("copying", "there is no code");
  else {
    await tab.click("figure.o-code button");
    await tab.until("the code copied", async (code) => (await navigator.clipboard.readText()).trim() === code.trim(), code).catch(async () => fault("copying", `copied is ${JSON.stringify(await copied())} instead of ${JSON.stringify(code)}`));
  }
  if (await tab.evaluate(() => !!document.querySelector("button.o-copy[data-copy]"))) {
    const hidden = await tab.evaluate(() => !document.querySelector("button.o-copy[data-copy]").checkVisibility());
    if (hidden) await tab.click(".o-actions summary");
    await tab.click("button.o-copy[data-copy]");
    await tab.until("the page copied as Markdown", async () => (await navigator.clipboard.readText()).startsWith("# ")).catch(async () => fault("copying", `the page is copied as ${JSON.stringify((await copied()).slice(0, 80))}`));
  } else fault("copying", "no button copies the page as Markdown");
}

/** The outline follows the text, and shows the entry that was clicked, however short its section is. */
export async function outline(tab, { url }, fault) {
  await tab.size(1440);
  await tab.goto(url);
  const links = await tab.evaluate(() => [...document.querySelectorAll(".o-toc a")].map((link) => link.hash));
  if (links.length < 3) return fault("outline", `it has ${links.length} entries`);
  const missing = await tab.evaluate((links) => links.filter((hash) => !document.getElementById(decodeURIComponent(hash.slice(1)))), links);
  if (missing.length > 0) return fault("outline", `leads nowhere: ${missing.join(", ")}`);
  for (const hash of [...links.slice(1), links[0]]) {
    await tab.click(`.o-toc a[href$=${JSON.stringify(hash)}]`);
    const current = `.o-toc a[aria-current]`;
    await tab.until(`the outline at ${hash}`, (current, hash) => document.querySelectorAll(current).length === 1 && document.querySelector(current).hash === hash, current, hash)
      .catch(async () => fault("outline", `at ${hash}, it shows ${await tab.evaluate((current) => [...document.querySelectorAll(current)].map((link) => link.hash).join(", ") || "nothing", current)}`));
    const covered = await tab.evaluate((hash) => {
      const { top, left } = document.getElementById(decodeURIComponent(hash.slice(1))).getBoundingClientRect();
      const header = document.elementFromPoint(left + 4, Math.max(top + 4, 0))?.closest(".o-header");
      return top < 0 || !!header;
    }, hash);
    if (covered) fault("outline", `the heading ${hash} is under the header`);
  }
  await tab.evaluate(() => scrollTo(0, document.scrollingElement.scrollHeight));
  await tab.until("the outline at the end of the page", (first) => document.querySelector(".o-toc a[aria-current]").hash !== first, links[0]);
}

/** Where the text of pages begins: at one place beside the navigation, and at the top on pages that hide it. */
export async function layout(tab, { urls }, fault) {
  for (const width of [1280, 1680]) {
    await tab.size(width);
    const starts = [];
    for (const url of urls) {
      await tab.goto(url);
      starts.push(await tab.evaluate(() => Math.round(document.querySelector("h1").getBoundingClientRect().left)));
    }
    if (new Set(starts).size > 1) fault("layout", `at ${width} px, titles begin at ${starts.join(", ")} px`);
    const { side, top } = await tab.evaluate(() => {
      document.documentElement.dataset.side = "no";
      return { side: document.querySelector(".o-side").checkVisibility(), top: document.querySelector("h1").getBoundingClientRect().top };
    });
    if (side) fault("layout", `at ${width} px, a page that hides the navigation shows it`);
    if (top > 400) fault("layout", `at ${width} px, without the navigation, the title is at ${Math.round(top)} px`);
  }
}

/** Rating a page, with scripts and without. */
export async function feedback(tab, { url }, fault) {
  await tab.size(1280);
  const thanked = () => !!document.querySelector(".o-thanks")?.checkVisibility({ visibilityProperty: true });
  for (const scripts of [true, false]) {
    await tab.scripts(scripts);
    await tab.goto(url);
    if (await tab.evaluate(thanked)) fault("feedback", "visitors are thanked before they have sent anything");
    await tab.click(".o-feedback label:has([value=good])");
    const send = () => tab.click(".o-feedback button[type=submit]");
    await (scripts ? send() : tab.loads(send));
    await tab.until(`thanks ${scripts ? "with" : "without"} scripts`, thanked).catch((error) => fault("feedback", error.message));
    const focus = await tab.evaluate(() => document.activeElement?.className);
    if (scripts && !focus.includes("o-thanks")) fault("feedback", `the focus is lost: ${focus}`);
  }
  await tab.scripts(true);
}

/** Navigation, variants and the sheet without scripts. */
export async function withoutScripts(tab, { url }, fault) {
  await tab.size(1280);
  await tab.scripts(false);
  await tab.goto(url);
  const before = await tab.evaluate(() => location.href);
  await tab.loads(() => tab.click(".o-nav a:not([aria-current], .o-external)"));
  if ((await tab.evaluate(() => location.href)) === before) fault("without scripts", "the navigation leads nowhere");
  await tab.goto(url);
  if (await tab.evaluate(() => !!document.querySelector("details.o-variant"))) {
    await tab.click("details.o-variant > summary");
    await tab.loads(() => tab.click("details.o-variant a:not([aria-current])"));
    if ((await tab.evaluate(() => location.href)) === before) fault("without scripts", "the menu of variants leads nowhere");
  } else fault("without scripts", "there is no menu of variants");
  await tab.size(360);
  await tab.goto(url);
  await tab.click(".o-menu");
  await tab.until("the navigation at 360 px", () => [...document.querySelectorAll(".o-nav a")].some((link) => link.checkVisibility({ visibilityProperty: true }) && link.getBoundingClientRect().left >= 0 && link.getBoundingClientRect().left < innerWidth))
    .catch((error) => fault("without scripts", error.message));
  await tab.scripts(true);
}
