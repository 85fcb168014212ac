// The style of the forms. It comes with them, so other pages need not load it.
const style = new CSSStyleSheet();
style.replaceSync(`.o-try-form{margin-block:.75rem 1.5rem;padding:.25rem 1.25rem 1.25rem;border:1px solid var(--line);border-radius:var(--radius-card);background:var(--subtle);font-size:.875rem;line-height:1.5}
.o-try-form fieldset{min-inline-size:0;margin:1rem 0 0;padding:0;border:0}
.o-try-form legend{padding:0 0 .375rem;color:var(--strong);font-weight:600}
.o-try-form legend+p{margin:-.25rem 0 .5rem;color:var(--muted);font-size:.8125rem}
.o-try-form label{display:grid;grid-template-columns:minmax(8rem,14rem) minmax(0,1fr);gap:.125rem 1rem;align-items:center;margin-block:.375rem}
.o-try-form label>span{overflow-wrap:anywhere;font-family:var(--font-mono);font-size:.8125rem;color:var(--strong)}
.o-try-form label>span i{color:var(--warning-text);font-style:normal}
.o-try-form label.o-whole{grid-template-columns:minmax(0,1fr)}
.o-try-form :is(input,select,textarea){inline-size:100%;min-block-size:2.25rem;padding:.375rem .625rem;border:1px solid var(--border);border-radius:var(--radius);background:var(--bg);color:var(--strong);font:inherit}
.o-try-form :is(textarea,input){font-family:var(--font-mono);font-size:.8125rem;direction:ltr}
.o-try-form .o-secret{-webkit-text-security:disc}
.o-try-form textarea{min-block-size:10rem;max-block-size:60vh;field-sizing:content;resize:vertical;tab-size:2}
.o-try-form ::placeholder{color:var(--muted);opacity:1}
.o-try-form button{margin-block-start:1rem}
.o-try-answer:not(:empty){margin-block-start:1rem}
.o-try-answer>p{margin:0;overflow-wrap:anywhere}
.o-try-answer>p strong{color:var(--success-text)}
.o-try-answer[data-failed]>p strong{color:var(--danger-text)}
.o-try-answer summary{margin-block:.375rem;color:var(--muted);font-size:.8125rem}
.o-try-answer pre{max-block-size:60vh;overflow:auto}
@media(width<40rem){.o-try-form label{grid-template-columns:minmax(0,1fr)}}`);
document.adoptedStyleSheets.push(style);
