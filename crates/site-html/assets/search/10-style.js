// The style of the dialog. It comes with it, so other pages need not load it.
const icon = (path) =>
  `url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='red' stroke-width='1.5' stroke-linecap='round' stroke-linejoin='round'><path d='${path}'/></svg>")`;
// The backdrop does not cover the place of the scroll bar: the page's own ground is dimmed there.
const style = new CSSStyleSheet();
style.replaceSync(
  ".o-dialog{--page:" + icon("M9 2H4v12h8V5zv3h3") +
    ";--hash:" + icon("M3 6h10M3 10h10M6.5 3l-1 10m5-10l-1 10") +
    ";--recent:" + icon("M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zm0 3v3l2 1.5") +
    ";--enter:" + icon("M13 3v5H3m3-3L3 8l3 3") +
    `;inline-size:min(40rem,100vw - 2rem);max-inline-size:none;max-block-size:min(36rem,100dvh - 2rem);margin:min(12vh,6rem) auto auto;padding:0;
border:1px solid var(--line);border-radius:min(var(--radius-card),16px);background:var(--bg);color:var(--text);box-shadow:0 16px 48px rgb(0 0 0/20%);
font-size:.875rem;line-height:1.5;overflow:hidden}
.o-dialog[open]{display:flex;flex-direction:column}
.o-dialog::backdrop{background:rgb(8 12 20/50%)}
:root:has(.o-dialog[open]){--ground:var(--bg);overflow:hidden;background:color-mix(in srgb,rgb(8 12 20) 50%,var(--ground))}
.o-muted:has(.o-dialog[open]){--ground:var(--subtle)}
:root:has(.o-dialog[open]) body{background-color:var(--ground)}
.o-ask{display:flex;align-items:center;gap:.75rem;padding-inline:1.125rem .875rem;border-block-end:1px solid var(--line);color:var(--muted)}
.o-ask .o-i{--i:var(--i-search);inline-size:1.125rem}
.o-ask input{flex:1;min-inline-size:0;block-size:3.25rem;padding:0;border:0;border-radius:0;outline:0;background:none;color:var(--strong);font-size:1.0625rem}
.o-ask input::placeholder{color:var(--muted);opacity:1}
.o-ask .o-close{inline-size:auto;padding-inline:.25rem}
.o-ask .o-close::before{display:none}
@media(width<40rem),(hover:none){.o-ask{padding-inline-end:.375rem}.o-ask kbd{display:none}.o-ask .o-close{inline-size:2.5rem;min-block-size:2.5rem;padding:0}.o-ask .o-close::before{display:block}}
.o-dialog .o-scopes{display:flex;gap:.5rem;padding:.625rem 1.125rem;border-block-end:1px solid var(--line);font-size:.8125rem}
.o-dialog .o-scopes button{min-block-size:1.75rem;padding-inline:.75rem;border:1px solid var(--line);border-radius:var(--radius);color:var(--muted)}
.o-dialog .o-scopes button:hover{border-color:var(--muted)}
.o-dialog .o-scopes button[aria-pressed=true]{border-color:var(--accent-text);background:var(--accent-soft);color:var(--strong)}
.o-said{padding:2.5rem 1.5rem;color:var(--muted);text-align:center;overflow-wrap:anywhere}
.o-said strong{display:block;color:var(--strong);font-size:1rem;font-weight:600}
.o-found{overflow-y:auto;overscroll-behavior:contain;padding:.5rem;scroll-padding:.5rem;scrollbar-width:thin}
.o-found:empty,.o-said:empty{display:none}
.o-found>p{padding:.375rem .625rem .25rem;color:var(--muted);font-size:.75rem;font-weight:600}
.o-found [role=option]{--i:var(--page);display:grid;grid-template-columns:1.125rem minmax(0,1fr) 1rem;align-items:center;column-gap:.75rem;inline-size:100%;padding:.5rem .625rem;
border-radius:min(var(--radius),10px);color:var(--strong);text-align:start;cursor:pointer}
.o-found [role=option]:is([data-section],:has(+[data-section])):not(:last-child){margin-block-end:1px}
.o-found [data-section]{--i:var(--hash)}
.o-found [data-recent]{--i:var(--recent)}
.o-found [data-section]{margin-inline-start:1rem;inline-size:calc(100% - 1rem)}
.o-found [role=option]>*{grid-column:2;overflow:hidden;text-overflow:ellipsis}
.o-found .o-i{grid-area:1/1;justify-self:center;inline-size:.9375rem;color:var(--muted)}
.o-found :is(strong,small){white-space:nowrap}
.o-found strong{font-weight:550}
.o-found :is(small,span){color:var(--muted);font-size:.8125rem}
.o-found span{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical}
.o-found [aria-selected=true]{background:var(--accent-soft);outline:2px solid transparent;outline-offset:-2px}
.o-found [aria-selected=true]::after{content:"";grid-area:1/3;block-size:1rem;background:var(--muted);mask:var(--enter) center/contain no-repeat}
.o-found mark{background:none;color:var(--strong);font-weight:600;text-decoration:underline;text-decoration-color:var(--accent-text);text-decoration-thickness:2px;text-underline-offset:.2em}
@media(forced-colors:active){.o-dialog [aria-pressed=true]{border-width:3px!important}}
@media(width<40rem){:root:has(.o-dialog[open]){background:var(--bg)}.o-dialog{inline-size:100%;max-block-size:none;block-size:100dvh;margin:0;border:0;border-radius:0}}`,
);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
