// What few pages need comes on its first use.
const more = () => import(root.dataset.more);
const tools = { words, make, button, live };
on(document, "click", (event) => {
  const what = event.target.closest("[data-embed], .o-zoom");
  if (!what || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  more().then(({ embed, zoom }) => (what.dataset.embed ? embed : zoom)(what, tools));
});
for (const table of all(".o-table[data-search]")) more().then(({ seek }) => seek(table, tools));
const form = one(".o-feedback");
on(form, "submit", (event) => {
  event.preventDefault();
  more().then(({ send }) => send(form)).catch(() => form.submit());
});
