// The search dialog: a combobox with its list. The server searches.
const PAUSE = 80;
let tools;
let dialog, input, list, said, live, scopes;
// What is shown: the options, which one is chosen, and for which question.
let options = [];
let chosen = -1;
let moved = false;
let shown;
let scope = "";
let timer, request, speech;
// Whether the visitor asked for the first result before it was there.
let eager = false;

const question = () => input.value.trim();

const choose = (at, scroll = true) => {
  options[chosen]?.setAttribute("aria-selected", "false");
  chosen = at;
  const option = options[at];
  option?.setAttribute("aria-selected", "true");
  option ? input.setAttribute("aria-activedescendant", option.id) : input.removeAttribute("aria-activedescendant");
  if (scroll) option?.scrollIntoView({ block: "nearest" });
};

// Shows nodes; those that are options can be chosen.
const fill = (nodes) => {
  list.replaceChildren(...nodes);
  options = nodes.filter((node) => node.role === "option");
  options.forEach((option, at) => {
    option.id = "~option-" + at;
    option.addEventListener("pointermove", () => at === chosen || choose(at, false));
  });
  input.setAttribute("aria-expanded", options.length > 0);
  list.scrollTop = 0;
  moved = false;
  choose(options.length - 1 < 0 ? -1 : 0);
};

// Says what is shown, once it does not change any more.
const say = (text, ...more) => {
  said.replaceChildren(...more);
  clearTimeout(speech);
  speech = setTimeout(() => (live.textContent = text), 400);
};

const recent = () => {
  const { make, words, remembered } = tools;
  const before = remembered("searches");
  const option = (text) => {
    const node = make("div", { role: "option", tabindex: "-1", "data-recent": "" }, make("i", { class: "o-i" }), make("strong", {}, text));
    node.addEventListener("click", () => {
      input.value = text;
      ask(0);
      input.focus();
    });
    return node;
  };
  fill(before.length ? [make("p", { role: "presentation" }, words.recent), ...before.map(option)] : []);
  choose(-1);
  say("");
};

// A text with what was found in it: pairs of offsets in its bytes.
const marked = (text, matches) => {
  const bytes = new TextEncoder().encode(text);
  const part = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
  const nodes = [];
  let at = 0;
  for (const [from, to] of matches ?? []) {
    if (from < at || to > bytes.length) continue;
    nodes.push(part(at, from), tools.make("mark", {}, part(from, to)));
    at = to;
  }
  return [...nodes, part(at)];
};

const link = (href, attributes, ...children) => {
  const node = tools.make("a", { href, role: "option", tabindex: "-1", ...attributes }, tools.make("i", { class: "o-i" }), ...children);
  node.addEventListener("click", (event) => {
    const text = question();
    tools.store("searches", JSON.stringify([text, ...tools.remembered("searches").filter((one) => one !== text)].slice(0, 5)));
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) dialog.close();
  });
  return node;
};

const results = (items) => {
  const { make } = tools;
  return items.flatMap(({ title, href, above = [], sections = [] }) => {
    const snippet = ({ text, matches }) => (text ? [make("span", {}, ...marked(text, matches))] : []);
    // A section without a title is the start of the page.
    const start = sections.find((section) => !section.title);
    const page = link(
      href,
      {},
      make("strong", {}, title),
      ...(above.length ? [make("small", {}, above.join(" › "))] : []),
      ...(start ? snippet(start) : []),
    );
    const others = sections.filter((section) => section.title);
    return [page, ...others.map((section) => link(section.href, { "data-section": "" }, make("strong", {}, section.title), ...snippet(section)))];
  });
};

const find = async (text) => {
  const { make, words, base, root } = tools;
  request?.abort();
  request = new AbortController();
  const query = new URLSearchParams({ q: text });
  if (root.dataset.variant) query.set("variant", root.dataset.variant);
  if (scope) query.set("scope", scope);
  try {
    const response = await fetch(`${base}~/search?${query}`, { headers: { accept: "application/json" }, signal: request.signal });
    if (!response.ok) throw response.status;
    const { items } = await response.json();
    shown = text;
    fill(results(items));
    const none = words.none.replace("{q}", () => text);
    const count = items.length === 1 ? words.result : words.results.replace("{n}", items.length);
    items.length ? say(count) : say(none, make("strong", {}, none), words.hint ?? "");
    if (eager) options[0]?.click();
  } catch (error) {
    if (error.name === "AbortError") return;
    fill([]);
    say(words.failed, words.failed);
  }
  eager = false;
};

const ask = (pause = PAUSE) => {
  clearTimeout(timer);
  eager = false;
  const text = question();
  if (text) {
    timer = setTimeout(find, pause, text);
  } else {
    request?.abort();
    shown = "";
    recent();
  }
};

const keys = (event) => {
  if (event.isComposing) return;
  const { key } = event;
  const last = options.length - 1;
  let next;
  if (key === "ArrowDown") next = chosen < last ? chosen + 1 : 0;
  else if (key === "ArrowUp") next = chosen > 0 ? chosen - 1 : last;
  // Before an arrow was used, these move in the text.
  else if (key === "Home" && moved) next = 0;
  else if (key === "End" && moved) next = last;
  else if (key === "Enter") {
    event.preventDefault();
    const option = options[chosen];
    if (question() !== shown) eager = Boolean(question());
    else if (option) option.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey: event.ctrlKey, metaKey: event.metaKey }));
    return;
  } else return;
  if (last < 0 || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  moved = true;
  choose(next);
};

const build = () => {
  const { make, button, words, root } = tools;
  input = make("input", {
    type: "text",
    name: "q",
    role: "combobox",
    "aria-label": words.search,
    "aria-autocomplete": "list",
    "aria-controls": "~found",
    "aria-expanded": "false",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    enterkeyhint: "search",
    maxlength: "512",
    placeholder: words.placeholder,
  });
  const close = button({ class: "o-close" }, make("span", { class: "o-hidden" }, words.close), make("kbd", {}, "Esc"));
  list = make("div", { id: "~found", class: "o-found", role: "listbox", "aria-label": words.search });
  said = make("div", { class: "o-said" });
  live = make("div", { class: "o-hidden", role: "status" });
  const chip = ([value, text]) => {
    const chip = button({ "aria-pressed": "false" }, text);
    chip.addEventListener("click", () => {
      scope = scope === value ? "" : value;
      for (const one of scopes.children) one.setAttribute("aria-pressed", one === chip && scope !== "");
      ask(0);
      input.focus();
    });
    return chip;
  };
  scopes = make("div", { class: "o-scopes", role: "group" }, ...[["variant", words.here], ["all", words.all]].map(chip));
  scopes.hidden = root.dataset.scopes === "no";
  dialog = make("dialog", { class: "o-dialog", "aria-label": words.search }, make("div", { class: "o-ask" }, make("i", { class: "o-i" }), input, close), scopes, list, said, live);
  input.addEventListener("input", () => ask());
  input.addEventListener("keydown", keys);
  close.addEventListener("click", () => dialog.close());
  // A click beside the dialog closes it.
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  // The list keeps the focus in the field.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  document.body.append(dialog);
};

// Opens the dialog with a text.
export const show = (text, given) => {
  tools = given;
  if (!dialog) build();
  if (!dialog.open) dialog.showModal();
  if (text || !input.value) input.value = text;
  input.focus();
  text ? input.setSelectionRange(text.length, text.length) : input.select();
  ask(0);
};
