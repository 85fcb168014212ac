// Search without a server: a page lists all pages, and shows those that have all words.
const opener = one(".o-search");
on(document, "keydown", (event) => {
  const { key, code, target, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (event.isComposing || altKey || !opener) return;
  const typing = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  const command = (ctrlKey || metaKey) && !shiftKey && (key.toLowerCase() === "k" || (key > "~" && code === "KeyK"));
  if (!command && (key !== "/" || ctrlKey || metaKey || typing)) return;
  event.preventDefault();
  location.href = opener.href;
});
const field = one(".o-search-page [name=q]");
const items = all(".o-results > li");
const seek = () => {
  const wanted = field.value.toLowerCase().split(/\s+/);
  let count = 0;
  for (const item of items) {
    const text = item.textContent.toLowerCase();
    item.hidden = !wanted.every((word) => text.includes(word));
    if (!item.hidden) count++;
  }
  const said = count ? (count > 1 ? words.results : words.result) : words.none;
  one(".o-count").textContent = said.replace("{n}", count).replace("{q}", () => field.value.trim());
};
if (field) {
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  on(field, "input", seek);
  on(field.form, "submit", (event) => event.preventDefault());
  field.focus();
  seek();
}
