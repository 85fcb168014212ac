// What few pages need, and only on its first use: pictures in full size, pages of other sites, the search in a table, and
// feedback that is sent without leaving the page.
const style = new CSSStyleSheet();
style.replaceSync(`.o-shown{max-inline-size:100vw;max-block-size:100dvh;inline-size:100vw;block-size:100dvh;padding:max(1rem,3vmin);border:0;background:color-mix(in oklab,var(--bg) 92%,transparent);cursor:zoom-out}
.o-shown[open]{display:grid;place-items:center}
.o-shown img{max-inline-size:100%;max-block-size:calc(100dvh - 2*max(1rem,3vmin));inline-size:auto;border-radius:var(--radius-card)}
.o-shown button{position:fixed;inset-block-start:1rem;inset-inline-end:1rem;display:grid;place-items:center;inline-size:2.25rem;block-size:2.25rem;border:1px solid var(--line);border-radius:var(--radius);background:var(--bg);color:var(--text)}
:root:has(.o-shown[open]){overflow:hidden}
.o-seek{display:block;inline-size:100%;max-inline-size:20rem;block-size:2.5rem}
.js .o-seek+.o-table[data-search]{margin-block-start:.75rem}
@media print{.o-seek{display:none}}`);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];

// A picture in full size. `link` leads to its file.
export const zoom = (link, { make, button, words }) => {
  const own = [...link.querySelectorAll("img")].find((image) => image.checkVisibility()) ?? link.querySelector("img");
  const src = own.matches(".o-dark") ? link.dataset.dark : link.href;
  const dialog = make(
    "dialog",
    { class: "o-shown", "aria-label": own.alt || link.getAttribute("aria-label") || "" },
    make("img", { src, alt: own.alt }),
    button({ class: "o-close", "aria-label": words.close }),
  );
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
};

// A page of another site in place of the button for it.
export const embed = (opener, { make }) => {
  const frame = make("iframe", {
    src: opener.dataset.embed,
    title: opener.dataset.title ?? "",
    sandbox: "allow-scripts allow-same-origin allow-popups allow-forms allow-presentation",
    allow: "fullscreen; picture-in-picture; encrypted-media",
    referrerpolicy: "strict-origin-when-cross-origin",
  });
  opener.replaceWith(frame);
  frame.focus();
};

// Text for comparing: without case and accents.
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

// A field above a table that hides the rows without its words.
export const seek = (table, { make, words, live }) => {
  const rows = [...table.querySelectorAll("tbody > tr")].map((row) => [row, plain(row.textContent)]);
  const field = make("input", { type: "search", name: "rows", class: "o-seek", "aria-label": words.search, placeholder: words.placeholder });
  let timer;
  field.addEventListener("input", () => {
    const wanted = plain(field.value).split(/\s+/);
    let found = 0;
    for (const [row, text] of rows) {
      row.hidden = !wanted.every((word) => text.includes(word));
      found += !row.hidden;
    }
    clearTimeout(timer);
    timer = setTimeout(() => (live.textContent = words.results.replace("{n}", found)), 400);
  });
  table.before(field);
};

// Sends the feedback form.
export const send = async (form) => {
  const body = new URLSearchParams(new FormData(form));
  const response = await fetch(form.action, { method: "POST", body, redirect: "manual" });
  if (!response.ok && response.type !== "opaqueredirect") throw response.status;
  const thanks = document.querySelector(".o-thanks");
  thanks.dataset.shown = "";
  thanks.tabIndex = -1;
  thanks.focus();
  form.remove();
};
