// Tabs. A choice counts for all tabs of that title, here and on other pages. No text has ids that begin with ~.
const groups = all("o-tabs").flatMap((box, number) => {
  const panels = all(":scope > [data-tab]", box);
  if (!panels[0]) return [];
  const list = make("div", { class: "o-tablist", role: "tablist" });
  const tabs = panels.map((panel, at) => {
    panel.id ||= `~tabs${number}-${at}`;
    const tab = button({ role: "tab", id: `~tab${number}-${at}`, "aria-controls": panel.id }, panel.dataset.tab);
    const icon = one(":scope > .o-tab-title > svg", panel);
    if (icon) tab.prepend(icon.cloneNode(true));
    panel.role = "tabpanel";
    panel.setAttribute("aria-labelledby", tab.id);
    return tab;
  });
  const select = (chosen) =>
    panels.forEach((panel, at) => {
      tabs[at].ariaSelected = at === chosen;
      tabs[at].tabIndex = at === chosen ? 0 : -1;
      // The browser's own search finds what is in the others.
      panel.hidden = at !== chosen && "until-found";
    });
  const group = { box, panels, select, at: (title) => panels.findIndex((panel) => panel.dataset.tab === title) };
  tabs.forEach((tab, at) => on(tab, "click", () => choose(group, at)));
  panels.forEach((panel, at) => on(panel, "beforematch", () => select(at)));
  on(list, "keydown", (event) => {
    const step = getComputedStyle(list).direction === "rtl" ? -1 : 1;
    const now = tabs.indexOf(event.target);
    const next = { ArrowRight: now + step, ArrowLeft: now - step, Home: 0, End: -1 }[event.key];
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const tab = tabs.at(next % tabs.length);
    tab.focus();
    tab.click();
  });
  list.append(...tabs);
  box.prepend(list);
  const known = remembered("tabs").map(group.at).find((at) => at >= 0);
  select(known ?? 0);
  box.dataset.on = "";
  return [group];
});
const choose = (group, at) => {
  const title = group.panels[at].dataset.tab;
  const before = group.box.getBoundingClientRect().top;
  group.select(at);
  for (const other of groups) {
    const same = other.at(title);
    if (other !== group && same >= 0) other.select(same);
  }
  // Others above may have another height now: what was clicked stays where it was.
  scrollBy({ top: group.box.getBoundingClientRect().top - before, behavior: "instant" });
  store("tabs", JSON.stringify([title, ...remembered("tabs").filter((one) => one !== title)].slice(0, 9)));
};

// An anchor opens what it is in.
const reveal = () => {
  const target = goal(location);
  for (let node = target; node; node = node.parentElement) {
    if (node.localName === "details" && !node.matches(".o-drop")) node.open = true;
    const group = groups.find(({ panels }) => panels.includes(node));
    group?.select(group.panels.indexOf(node));
  }
  if (target && !target.popover) target.scrollIntoView();
  reach(target);
};
on(window, "hashchange", reveal);
on(document, "click", ({ target }) => {
  if (target.closest("a[href^='#']")?.hash === location.hash) reveal();
});
if (location.hash) reveal();

// Copies a text, or what a promise brings.
const copy = async (from, source) => {
  try {
    const blob = Promise.resolve(source).then((text) => new Blob([text], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } catch {
    // Without https there is no clipboard.
    const area = make("textarea", { readonly: "", class: "o-hidden" });
    area.value = await source;
    from.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    from.focus();
  }
  from.dataset.done = "";
  live.textContent = words.copied;
  setTimeout(() => {
    delete from.dataset.done;
    live.textContent = "";
  }, 2000);
};
const page = async (address) => {
  const response = await fetch(address);
  if (!response.ok) throw 0;
  return response.text();
};
for (const copier of all("[data-copy], [data-text]")) {
  on(copier, "click", () => {
    const { text, copy: address } = copier.dataset;
    copy(copier, text ?? page(address)).catch(() => (location.href = address));
  });
}
on(one(".o-print"), "click", () => print());

// Code: a button that copies it, and one that shows all of it.
for (const figure of all(".o-code")) {
  const code = one("pre > code", figure);
  if (!code) continue;
  const copier = button({ class: "o-copy", "aria-label": words.copy, title: words.copy });
  on(copier, "click", () => {
    // The numbers of notes are no code.
    const source = code.cloneNode(true);
    for (const note of all("button", source)) note.remove();
    copy(copier, source.textContent);
  });
  figure.append(copier);
  if (!figure.dataset.collapse) continue;
  const fold = button({ class: "o-fold", "aria-expanded": "false" }, words.more);
  on(fold, "click", () => {
    const open = figure.toggleAttribute("data-open");
    fold.ariaExpanded = open;
    fold.textContent = open ? words.less : words.more;
    if (!open) figure.scrollIntoView({ block: "nearest" });
  });
  figure.append(fold);
}
