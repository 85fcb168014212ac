// The search of a site as a visitor uses it: the dialog with keyboard and mouse, and the page without scripts.
import { setTimeout as wait } from "node:timers/promises";

const OPEN = () => document.querySelector("dialog[open]:modal, dialog[open]") && document.activeElement?.matches("dialog input");
const CLOSED = () => !document.querySelector("dialog[open]");

/** The dialog: opened in three ways, fed without a pause, walked through, closed. `words` finds more than one page. */
export async function dialog(tab, { start, words }, fault) {
  const open = async (how, action) => {
    await tab.evaluate(() => document.activeElement?.blur());
    await action();
    await tab.until(`the dialog, opened by ${how}`, OPEN);
  };
  const close = async () => {
    await tab.press("Escape");
    await tab.until("the dialog closed by Esc", CLOSED);
  };
  const text = () => tab.evaluate(() => document.querySelector("dialog input").value);
  await tab.size(1280);
  // The script of the dialog comes late: every letter that is typed before it is there must arrive.
  await tab.call("Network.setCacheDisabled", { cacheDisabled: true });
  await tab.goto(start);
  await tab.slow({ latency: 400 });
  await Promise.all([tab.press("/"), tab.type(words)]);
  await tab.until("the dialog, opened by /", OPEN);
  await tab.slow();
  await tab.call("Network.setCacheDisabled", { cacheDisabled: false });
  await tab.until("all letters typed at once", (words) => document.querySelector("dialog input").value === words, words).catch(async () => {
    fault("search", `of "${words}", typed at once, "${await text()}" arrives`);
  });

  await tab.until("results announced", () => [...document.querySelectorAll("dialog [aria-live], dialog [role=status]")].some((live) => /[1-9]/.test(live.textContent)));
  const active = () => tab.evaluate(() => {
    const input = document.querySelector("dialog input");
    const option = document.getElementById(input.getAttribute("aria-activedescendant"));
    const selected = [...document.querySelectorAll("dialog [role=option][aria-selected=true]")];
    return { id: option?.id, text: option?.textContent, same: selected.length === 1 && selected[0] === option, focus: document.activeElement === input, expanded: input.getAttribute("aria-expanded"),
      role: input.getAttribute("role"), list: !!document.getElementById(input.getAttribute("aria-controls"))?.matches("[role=listbox]"), seen: option && option.getBoundingClientRect().bottom <= innerHeight };
  });
  const walked = [];
  for (let step = 0; step < 2; step++) {
    await tab.press("ArrowDown");
    walked.push(await active());
  }
  for (const state of walked) {
    if (!state.id || !state.same || !state.focus || state.role !== "combobox" || state.expanded !== "true" || !state.list || !state.seen) fault("search", `an arrow key leads to ${JSON.stringify(state)}`);
  }
  if (walked[0].id === walked[1].id) fault("search", "the second ArrowDown leads nowhere");
  await tab.press("ArrowUp");
  if ((await active()).id !== walked[0].id) fault("search", "ArrowUp does not lead back");
  if (!(await tab.evaluate(() => document.querySelector("dialog mark")?.textContent))) fault("search", "no words are marked");

  // A word that an input method still composes is not sent by Enter.
  await tab.call("Input.imeSetComposition", { text: "s", selectionStart: 1, selectionEnd: 1 });
  const before = await tab.evaluate(() => location.href);
  const enter = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 };
  for (const type of ["rawKeyDown", "keyUp"]) await tab.call("Input.dispatchKeyEvent", { type, ...enter });
  // Long enough for the results to be there and opened.
  await tab.settle();
  await wait(500);
  if (!(await tab.evaluate(OPEN)) || (await tab.evaluate(() => location.href)) !== before) fault("search", "Enter selects while an input method composes");
  await tab.call("Input.imeSetComposition", { text: "", selectionStart: 0, selectionEnd: 0 });
  await tab.until("results after composing", (words) => document.querySelector("dialog input").value === words && document.querySelector("dialog mark"), words);
  await wait(500);
  await tab.settle();
  await tab.press("ArrowDown");
  const chosen = await tab.evaluate(() => {
    const option = document.getElementById(document.querySelector("dialog input").getAttribute("aria-activedescendant"));
    return (option?.matches("a") ? option : option?.querySelector("a"))?.href;
  });
  await tab.press("Enter");
  await tab.until("Enter opens a result", (chosen, before) => location.href !== before && (!chosen || location.href === chosen), chosen, before);
  await tab.settle();

  await tab.goto(start);
  await open("Ctrl+K", () => tab.press("k", { ctrl: true }));
  await close();
  await open("Ctrl+K on a Dvorak keyboard", () => tab.press("k", { ctrl: true, code: "KeyV" }));
  await close();
  await open("/ on a German keyboard", () => tab.press("/", { shift: true, code: "Digit7" }));
  if (await text()) fault("search", `the key that opens the dialog is typed: "${await text()}"`);
  await tab.type("zqxwv qqqzzz");
  await tab.until("a word about no results", () => [...document.querySelectorAll("dialog [aria-live], dialog [role=status]")].some((live) => live.textContent.trim()) && !document.querySelector("dialog [role=option]"));
  await close();
  // The focus comes back to where it was.
  await tab.click("a.o-search");
  await tab.until("the dialog, opened by a click", OPEN);
  await close();
  if (!(await tab.evaluate(() => document.activeElement?.matches("a.o-search")))) fault("search", `the focus comes back to ${await tab.evaluate(() => document.activeElement?.outerHTML.slice(0, 100))}`);
  await tab.size(360);
  await tab.click("a.o-search");
  await tab.until("the dialog at 360 px", OPEN);
  await tab.type(words);
  await tab.until("results at 360 px", () => document.querySelector("dialog [role=option]"));
  const wide = await tab.evaluate(() => [...document.querySelectorAll("dialog, dialog input, dialog [role=option]")].find((element) => { const { left, right } = element.getBoundingClientRect(); return left < 0 || right > innerWidth; })?.outerHTML.slice(0, 120));
  if (wide) fault("search", `at 360 px, the dialog is wider than the window: ${wide}`);
}

/** What axe-core says of the open dialog with results. */
export async function dialogForAll(tab, { start, words, axe, audit }, fault) {
  for (const [width, scheme] of [[1280, "light"], [360, "dark"]]) {
    await tab.size(width);
    await tab.media({ scheme });
    await tab.goto(start);
    await tab.press("k", { ctrl: true });
    await tab.until("the dialog", OPEN);
    await tab.type(words);
    await tab.until("results", () => document.querySelector("dialog [role=option]"));
    await tab.press("ArrowDown");
    await tab.evaluateApart(axe);
    for (const found of await tab.evaluateApart(audit)) fault(`axe of the search dialog at ${width} px, ${scheme}`, found);
  }
  await tab.media();
}

/** `/` in a field is a letter. */
export async function slash(tab, { search }, fault) {
  await tab.size(1280);
  await tab.goto(search);
  await tab.click("main input[type=search]");
  await tab.type("a/b");
  const state = await tab.evaluate(() => ({ value: document.querySelector("main input[type=search]").value, open: !!document.querySelector("dialog[open]") }));
  if (state.open || !state.value.endsWith("a/b")) fault("search", `/ in a field opens the dialog, or is lost: ${JSON.stringify(state)}`);
}

/** The page of search results, with scripts switched off. */
export async function withoutScripts(tab, { start, words }, fault) {
  await tab.size(1280);
  await tab.scripts(false);
  await tab.goto(start);
  await tab.loads(() => tab.click("a.o-search"));
  await tab.click("main input[type=search]");
  await tab.type(words);
  await tab.loads(() => tab.press("Enter"));
  const found = await tab.evaluate(() => ({ results: document.querySelectorAll("ol.o-results > li").length, marks: document.querySelectorAll("ol.o-results mark").length, kept: document.querySelector("main input[type=search]")?.value }));
  if (found.results < 2 || found.marks === 0) fault("search without scripts", JSON.stringify(found));
  if (found.kept !== words) fault("search without scripts", `the field shows "${found.kept}" instead of "${words}"`);
  const title = await tab.evaluate(() => document.title);
  await tab.loads(() => tab.click("ol.o-results a"));
  if ((await tab.evaluate(() => document.title)) === title) fault("search without scripts", "a result leads nowhere");
  await tab.scripts(true);
}
