// The search dialog is loaded on its first use. What is typed before it is there goes into a field that waits for it.
let dialog;
const load = () => (dialog ??= import(searchModule));
const open = async (query) => {
  sheet(false);
  let text = query ?? "";
  const field = make("input", { class: "o-hidden", name: "q", "aria-label": words.search });
  field.value = text;
  document.body.append(field);
  const from = document.activeElement;
  field.focus();
  let composing;
  on(field, "compositionstart", () => (composing = new Promise((done) => on(field, "compositionend", done))));
  try {
    const { show } = await load();
    await composing;
    text = field.value;
    from.focus();
    field.remove();
    show(text, { root, words, make, button, stored, store, remembered, base });
  } catch {
    location.href = `${base}~/search?q=${encodeURIComponent(field.value)}`;
  }
};
const path = base + "~/search";
for (const opener of all(".o-search")) {
  opener.ariaHasPopup = "dialog";
  one("kbd", opener)?.append(/Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K");
  on(opener, "pointerenter focus", load);
}
on(document, "click", (event) => {
  const link = event.target.closest(".o-search, a.o-button");
  if (link?.pathname !== path || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(new URL(link.href).searchParams.get("q"));
});
on(document, "keydown", (event) => {
  const { key, code, target, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (event.isComposing || altKey || one("dialog[open]")) return;
  const typing = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  // In alphabets without the letter, its place on the keyboard counts.
  const command = (ctrlKey || metaKey) && !shiftKey && (key.toLowerCase() === "k" || (key > "~" && code === "KeyK"));
  if (!command && (key !== "/" || ctrlKey || metaKey || typing)) return;
  event.preventDefault();
  open();
});
