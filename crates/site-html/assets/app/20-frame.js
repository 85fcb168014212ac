const side = one(".o-side");
const header = one(".o-header");

// Light, dark, or as the system.
const toggles = all(".o-theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => {
  const name = `${words.theme}: ${words[root.dataset.theme]}`;
  for (const toggle of toggles) toggle.ariaLabel = toggle.title = name;
  // The colour of the browser follows the header, or the page where it shows through the header.
  const color = [header, root].map((node) => getComputedStyle(node).backgroundColor).find((color) => color.startsWith("rgb("));
  for (const meta of all("meta[name=theme-color]")) {
    meta.media = "";
    if (color) meta.content = color;
  }
};
for (const toggle of toggles) {
  on(toggle, "click", () => {
    root.dataset.theme = { system: "light", light: "dark", dark: "system" }[root.dataset.theme];
    store("theme", root.dataset.theme);
    paint();
  });
}
on(dark, "change", paint);
// The same page in another version or language is opened at the same place.
for (const link of all("a[data-same]")) on(link, "click", () => { if (location.hash) link.hash = location.hash; });
on(window, "pageshow", (event) => {
  // A page from the history may show an older choice.
  const choice = event.persisted && toggles[0] && stored("theme");
  if (choice in { system: 1, light: 1, dark: 1 }) root.dataset.theme = choice;
  paint();
});

// The navigation as a sheet on small screens.
const menu = one(".o-menu");
const narrow = matchMedia("(width < 64rem)");
const sheet = (open) => {
  if (open === "sheet" in root.dataset) return;
  root.toggleAttribute("data-sheet", open);
  menu.ariaExpanded = open;
  for (const node of all("body > *, .o-shell > *")) {
    if (!node.contains(side) && node !== live) node.inert = open && node !== side;
  }
  if (open) (one("[aria-current=page]", side) ?? one("a", side) ?? side).focus();
  else menu.focus();
};
if (side && menu) {
  // The links of the header are in the sheet while there is one.
  const parked = all(".o-bar > :is(.o-links, .o-social, .o-language)");
  const place = make("i", { hidden: "" });
  const nav = one(".o-nav", side);
  parked[0]?.before(place);
  const park = () => {
    sheet(false);
    if (narrow.matches) nav.after(...parked);
    else place.after(...parked);
  };
  const close = button({ class: "o-close", "aria-label": words.close });
  side.prepend(close);
  park();
  on(narrow, "change", park);
  on(menu, "click", (event) => {
    event.stopPropagation();
    sheet(true);
  });
  on(close, "click", () => sheet(false));
  on(document, "click", ({ target }) => {
    if (!side.contains(target) || target.closest("a")) sheet(false);
  });

  // The navigation keeps its place from page to page, and shows the current page.
  const key = "octavo-side" + base;
  try {
    side.scrollTop = sessionStorage[key] ?? 0;
    on(window, "pagehide", () => (sessionStorage[key] = side.scrollTop));
  } catch {}
  const current = one("[aria-current=page]", nav)?.getBoundingClientRect();
  const { top, bottom } = side.getBoundingClientRect();
  if (current?.top < top || current?.bottom > bottom) side.scrollTop += current.top - top - side.clientHeight / 3;
}

// Sections and links of the header that have no room are in a menu.
for (const row of all(":is(.o-sections, .o-links) > ul")) {
  const fit = () => {
    const rest = one(".o-rest", row);
    rest?.replaceWith(...one("ul", rest).children);
    const current = one("[aria-current], [data-current]", row);
    // Small screens scroll them instead. Without a current one, this is not a number, which means 0.
    if (narrow.matches) return (row.parentNode.scrollLeft += current?.getBoundingClientRect().left - 99);
    if (row.scrollWidth <= row.clientWidth) return;
    const items = make("ul");
    const summary = make("summary", { "aria-label": words.more }, "…");
    const more = make("li", { class: "o-rest" }, make("details", { class: "o-drop" }, summary, items));
    row.append(more);
    while (row.scrollWidth > row.clientWidth && more.previousElementSibling) items.prepend(more.previousElementSibling);
    if (items.contains(current)) summary.dataset.current = "";
  };
  new ResizeObserver(fit).observe(row.parentNode);
}

// Menus close like menus.
const drops = () => all("details.o-drop[open]");
on(document, "click focusin", ({ target }) => {
  for (const drop of drops()) if (!drop.contains(target)) drop.open = false;
});
on(document, "keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing) return;
  const open = drops().pop();
  if (open) {
    open.open = false;
    one("summary", open).focus();
  } else sheet(false);
});

// Announcements.
for (const note of all(".o-announce")) {
  on(one(".o-close", note), "click", () => {
    store("closed", note.dataset.key);
    note.remove();
  });
}

// The element that a link or the address of the page leads to. The hash may be encoded wrongly.
const goal = ({ hash }) => {
  let id = hash.slice(1);
  try {
    id = decodeURIComponent(id);
  } catch {}
  return document.getElementById(id);
};

// The outline shows where the visitor is: at the heading that an anchor led to, until the visitor scrolls on.
const toc = one(".o-toc");
const places = all("a", toc ?? live).map((link) => [link, goal(link)]).filter(([, heading]) => heading);
let reached, scrolled;
const mark = () => {
  if (scrollY !== scrolled) reached = null;
  const above = ([, heading]) => heading.getBoundingClientRect().top < innerHeight * 0.3;
  const [current] = reached ?? places.findLast(above) ?? places[0];
  for (const [link] of places) link.ariaCurrent = link === current || null;
  if (toc.scrollHeight > toc.clientHeight) toc.scrollTop = current.offsetTop - toc.clientHeight / 2;
};
const reach = (target) => {
  reached = places.find(([, heading]) => heading === target);
  scrolled = scrollY;
  if (reached) mark();
};
const watch = new IntersectionObserver(mark, { rootMargin: "9999999px 0px -70% 0px" });
for (const [, heading] of places) watch.observe(heading);
on(document, "scroll", () => reached && mark());

// Dates in the words of the page's language.
for (const time of all("time[datetime]")) {
  const day = new Date(time.dateTime);
  const dateStyle = { numeric: "short", short: "medium" }[time.dataset.date] ?? "long";
  const timeZone = time.dateTime.includes("T") ? undefined : "UTC";
  if (+day) time.textContent = new Intl.DateTimeFormat(root.lang, { dateStyle, timeZone }).format(day);
}
