// The script of all pages. Pages work without it; it adds what HTML cannot do.
// The policy of pages forbids innerHTML and style attributes, so nodes are made one by one.
const root = document.documentElement;
const { base, search: searchModule } = root.dataset;
const words = JSON.parse(document.body.dataset.words || "{}");
const one = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const on = (target, names, react) => names.split(" ").forEach((name) => target?.addEventListener(name, react));
const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  node.append(...children);
  return node;
};
const button = (attributes, ...children) => make("button", { type: "button", ...attributes }, ...children);
// The storage may be unavailable.
const stored = (key) => {
  try {
    return localStorage.getItem("octavo-" + key);
  } catch {}
};
const store = (key, value) => {
  try {
    localStorage.setItem("octavo-" + key, value);
  } catch {}
};
const remembered = (key) => {
  try {
    return [...JSON.parse(stored(key))];
  } catch {
    return [];
  }
};

// Buttons that need the script.
for (const node of all("button[hidden]")) node.hidden = false;

// Says something to screen readers.
const live = make("div", { class: "o-hidden", role: "status" });
document.body.append(live);
