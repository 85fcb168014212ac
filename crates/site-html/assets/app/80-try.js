// Forms that try operations of an API. Their script comes with the first one.
for (const opener of all(".o-try")) {
  on(opener, "click", async () => (await import(opener.dataset.module)).open(opener));
}
