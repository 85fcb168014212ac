// Texts that would run a script, load something from another host or break the page if any place of a page took them for
// markup, and pages that have them in every place that content can reach. `hit` is what a script of theirs would set.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A host that does not exist. */
export const FOREIGN = "https://evil.invalid";

export const PAYLOADS = [
  `<script>globalThis.hit=1</script>`,
  `"><img src=x onerror=globalThis.hit=1>`,
  `'><svg onload=globalThis.hit=1><script>globalThis.hit=1</script></svg>`,
  `</style></title></textarea></script><script>globalThis.hit=1</script>`,
  `--><!--><script>globalThis.hit=1</script>`,
  `]]><?xml version="1.0"?><script>globalThis.hit=1</script>`,
  `<iframe srcdoc="<script>parent.hit=1</script>" src="javascript:parent.hit=1"></iframe>`,
  `<object data="data:text/html,<script>parent.hit=1</script>"></object><embed src="${FOREIGN}/embed">`,
  `<style>@import "${FOREIGN}/a.css"; body{display:none}</style><link rel=stylesheet href=${FOREIGN}/b.css>`,
  `<meta http-equiv=refresh content="0;url=${FOREIGN}/"><base href="${FOREIGN}/">`,
  `<form action="${FOREIGN}/"><input name=a autofocus onfocus=globalThis.hit=1><button formaction="javascript:globalThis.hit=1">b</button></form>`,
  `<details open ontoggle=globalThis.hit=1><summary onclick=globalThis.hit=1>a</summary>b</details>`,
  `<p style="position:fixed;inset:0;background:red" class="o-header" id="main" onmouseover=globalThis.hit=1>over everything</p>`,
  `<math><mtext><mglyph><style><img src=x onerror=globalThis.hit=1></style></mglyph></mtext><maction actiontype="statusline#javascript:globalThis.hit=1">a</maction></math>`,
  `<svg><animate onbegin=globalThis.hit=1 attributeName=x dur=1s /><use href="${FOREIGN}/a.svg#a"/><foreignObject><script>globalThis.hit=1</script></foreignObject></svg>`,
  `<a href="javascript:globalThis.hit=1">a</a><a href=" jAvA&#x53;cript&colon;globalThis.hit=1">b</a><a href="data:text/html,<script>opener.hit=1</script>">c</a>`,
  `[a](javascript:globalThis.hit=1) [b](<java\tscript:globalThis.hit=1>) [c](data:text/html;base64,PHNjcmlwdD4=) [d](vbscript:hit) <javascript:globalThis.hit=1>`,
  `![a](${FOREIGN}/pixel.png) ![b](data:image/svg+xml,<svg/onload=globalThis.hit=1>) ![c](javascript:globalThis.hit=1)`,
  `<img src="${FOREIGN}/pixel.gif" srcset="${FOREIGN}/large.gif 2x" onload=globalThis.hit=1><video src="${FOREIGN}/v.mp4" poster="${FOREIGN}/p.png" autoplay></video>`,
  `{{ constructor.constructor('globalThis.hit=1')() }} \${globalThis.hit=1} {% raw %} <% hit=1 %> #{hit=1}`,
  `red;}*{background:url(${FOREIGN}/css)}`,
  `\u202Eright to left\u2028line\u2029paragraph\u0000nul \uFEFF`,
];

const text = (payload) => payload.replace(/\s*\n\s*/g, " ");
/** A payload as the value of an attribute of a tag. */
const quoted = (payload) => text(payload).replaceAll('"', "'").replaceAll("%}", "% }");
const cell = (payload) => text(payload).replaceAll("|", "\\|");

/** What a page can be made of, with a text in every place that takes one. */
const BLOCKS = {
  paragraphs: (p) => `${p}\n\nIn the middle ${text(p)} of **a ${text(p)} text**, *${text(p)}*, ~~${text(p)}~~, [${text(p)}](README.md "${quoted(p)}").\n`,
  headings: (p) => `## ${text(p)}\n\n### ${text(p)}\n\ntext\n\n#### ${text(p)}\n`,
  lists: (p) => `* ${text(p)}\n  * ${text(p)}\n\n1. ${text(p)}\n\n- [x] ${text(p)}\n\n> ${text(p)}\n`,
  code: (p) => `\`${text(p).replaceAll("`", "")}\`\n\n{% code title="${quoted(p)}" lineNumbers="true" %}\n\`\`\`${text(p).split(/\s/)[0].replaceAll("`", "")}\n${text(p)}\n\`\`\`\n{% endcode %}\n\n\`\`\`html\n${text(p)}\n\`\`\`\n\n\`\`\`js\n// ${text(p)}\n\`\`\`\n`,
  diagrams: (p) => `\`\`\`mermaid\ngraph TD\n  A["${quoted(p)}"] --> B\n  click A "javascript:globalThis.hit=1"\n\`\`\`\n`,
  hints: (p) => `{% hint style="info" icon="${quoted(p)}" %}\n${text(p)}\n{% endhint %}\n\n{% hint style="${quoted(p)}" %}\n${text(p)}\n{% endhint %}\n`,
  tabs: (p) => `{% tabs %}\n{% tab title="${quoted(p)}" icon="${quoted(p)}" %}\n${text(p)}\n{% endtab %}\n\n{% tab title="Other" %}\n${text(p)}\n{% endtab %}\n{% endtabs %}\n`,
  steps: (p) => `{% stepper %}\n{% step %}\n### ${text(p)}\n\n${text(p)}\n{% endstep %}\n{% endstepper %}\n`,
  columns: (p) => `{% columns %}\n{% column width="50%" %}\n${text(p)}\n{% endcolumn %}\n\n{% column width="${quoted(p)}" %}\n${text(p)}\n{% endcolumn %}\n{% endcolumns %}\n`,
  updates: (p) => `{% updates format="full" %}\n{% update date="2026-01-02" tags="${quoted(p).replaceAll(",", " ")}" %}\n## ${text(p)}\n\n${text(p)}\n{% endupdate %}\n{% endupdates %}\n`,
  details: (p) => `<details>\n\n<summary>${text(p)}</summary>\n\n${text(p)}\n\n</details>\n`,
  prompts: (p) => `{% prompt description="${quoted(p)}" icon="${quoted(p)}" openIn="${quoted(p)}" %}\n${text(p)}\n{% endprompt %}\n`,
  embeds: (p) => `{% embed url="${quoted(p)}" %}\n\n{% embed url="${FOREIGN}/video?a=${encodeURIComponent(p)}" %}\n${text(p)}\n{% endembed %}\n\n{% embed url="https://www.youtube.com/watch?v=${encodeURIComponent(p)}" %}\n\n{% content-ref url="${quoted(p)}" %}\n${text(p)}\n{% endcontent-ref %}\n\n{% file src="${quoted(p)}" %}\n${text(p)}\n{% endfile %}\n`,
  integrations: (p) => `{% integration integration="${quoted(p)}" block="${quoted(p)}" url="javascript:globalThis.hit=1" %}\n\n{% openapi src="${quoted(p)}" path="${quoted(p)}" method="get" %}\n${text(p)}\n{% endopenapi %}\n\n{% openapi-operation spec="kestrel" path="${quoted(p)}" method="${quoted(p)}" %}\n${text(p)}\n{% endopenapi-operation %}\n`,
  tables: (p) => `| ${cell(p)} | b |\n| --- | --- |\n| ${cell(p)} | ${cell(p)} |\n\n<table data-view="cards"><thead><tr><th>${quoted(p)}</th><th data-hidden data-card-target data-type="content-ref">t</th><th data-hidden data-card-cover data-type="files">c</th></tr></thead><tbody><tr><td>${p}</td><td><a href="javascript:globalThis.hit=1">${p}</a></td><td><a href="${FOREIGN}/cover.png">c</a></td></tr></tbody></table>\n`,
  formulas: (p) => `$$\n${text(p).replaceAll("$", "")}\n$$\n\nA formula $$\\href{javascript:globalThis.hit=1}{a} \\text{${text(p).replaceAll("$", "")}}$$ in a text.\n\n$$\n\\htmlStyle{position:fixed}{a} \\class{o-header}{b} \\url{javascript:globalThis.hit=1} \\color{${quoted(p)}}{c}\n$$\n`,
  pictures: (p) => `<figure><img src="assets/hostile.svg" alt="${quoted(p)}" width="${quoted(p)}"><figcaption><p>${text(p)}</p></figcaption></figure>\n\n![${quoted(p)}](assets/hostile.svg "${quoted(p)}")\n`,
  notes: (p) => `A note[^1] and <mark style="color:${quoted(p)};background:${quoted(p)}">a colour</mark>, <i class="fa-${quoted(p)}">:${quoted(p)}:</i>, <a href="javascript:globalThis.hit=1" class="button primary" data-icon="${quoted(p)}">${text(p)}</a>, <button type="button" class="button" data-action="search" data-query="${quoted(p)}">${text(p)}</button>.\n\n{% if ${text(p)} %}\nnever\n{% endif %}\n\n<code class="expression">page.vars.hostile</code> <code class="expression">space.vars.hostile</code> <code class="expression">${quoted(p)}</code>\n\n[^1]: ${text(p)}\n`,
};

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="40" onload="globalThis.hit=1;fetch('${FOREIGN}/onload')"><script>globalThis.hit=1;fetch('${FOREIGN}/script')</script>
<image href="${FOREIGN}/image.png" width="9" height="9"/><a xlink:href="javascript:globalThis.hit=1"><rect width="40" height="40"/></a>
<foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml" onload="globalThis.hit=1"><iframe src="${FOREIGN}/frame"></iframe></body></foreignObject></svg>`;

/** How many payloads the document of one page has. */
export const IN_SPEC = 4;

/** An OpenAPI document with an operation for each payload, which is in every text and every name. */
function spec(payloads) {
  const paths = {};
  const schemas = {};
  const securitySchemes = {};
  payloads.forEach((p, at) => {
    const schema = { $ref: `#/components/schemas/S${at}` };
    const value = { type: "string", title: p, description: p, default: p, enum: [p, "b"], pattern: p, format: p, examples: [p], example: p };
    schemas[`S${at}`] = { type: "object", title: p, description: p, required: [p], properties: { [p]: value, next: schema, list: { type: "array", items: { anyOf: [schema, value] } } }, patternProperties: { [p]: value }, discriminator: { propertyName: p, mapping: { [p]: `#/components/schemas/S${at}` } }, externalDocs: { url: "javascript:globalThis.hit=1", description: p }, deprecated: true };
    securitySchemes[`K${at}`] = { type: "apiKey", in: "header", name: p, description: p };
    securitySchemes[`O${at}`] = { type: "oauth2", description: p, flows: { implicit: { authorizationUrl: "javascript:globalThis.hit=1", scopes: { [p]: p } } } };
    const parameters = ["query", "header", "cookie"].map((place) => ({ in: place, name: p, description: p, example: p, schema: value }));
    const content = { "application/json": { schema, examples: { [p]: { summary: p, description: p, value: { [p]: p } } } }, [p]: { schema, example: p } };
    paths[`/p${at}/{id}`] = {
      post: {
        operationId: p, summary: p, description: p, tags: [p], deprecated: true,
        parameters: [{ in: "path", name: "id", required: true, description: p, schema: value }, ...parameters],
        requestBody: { description: p, content },
        responses: { 200: { description: p, headers: { [p]: { description: p, schema: value } }, content, links: { [p]: { operationId: p, description: p } } }, default: { description: p } },
        callbacks: { [p]: { "{$request.body#/url}": { post: { summary: p, requestBody: { content }, responses: { 200: { description: p } } } } } },
        security: [{ [`K${at}`]: [], [`O${at}`]: [p] }, {}],
        servers: [{ url: "https://api.example.org/", description: p }, { url: "https://{host}.example.org/", description: p, variables: { host: { default: p, enum: [p], description: p } } }, { url: "javascript:globalThis.hit=1", description: p }],
        externalDocs: { url: "javascript:globalThis.hit=1", description: p },
        "x-codeSamples": [{ lang: p, label: p, source: p }],
      },
    };
  });
  const [p] = payloads;
  const tags = payloads.map((p) => ({ name: p, description: p, "x-page-title": p, "x-page-description": p, "x-page-icon": p }));
  return { openapi: "3.1.0", info: { title: p, version: p, description: p, contact: { name: p, url: "javascript:globalThis.hit=1" }, license: { name: p } }, tags, paths, components: { schemas, securitySchemes } };
}

const documents = [];
for (let at = 0; at < PAYLOADS.length; at += IN_SPEC) documents.push(spec(PAYLOADS.slice(at, at + IN_SPEC)));

/** OpenAPI documents by the slugs that the computed pages of the folder name. */
export const SPECS = documents.map((document, at) => [`hostile-${at}`, document]);

/** Writes a folder for `octavo import`. Returns how many pages it has. */
export function folder(root) {
  const put = (path, body) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), body);
  };
  const clean = (payload) => payload.replaceAll("\u0000", "");
  const summary = ["# Table of contents", "", "* [Hostile](README.md)"];
  put("assets/hostile.svg", SVG);
  put("assets/hostile.html", "<script>globalThis.hit=1</script>");
  put(".gitbook/vars.yaml", `hostile: ${JSON.stringify(clean(PAYLOADS[0]))}\n`);
  put("README.md", `# Hostile\n\nWords of a hostile page.\n\n[A picture](assets/hostile.svg) {% file src="assets/hostile.svg" %}\n\n{% file src="assets/hostile.svg" %}\n\n{% file src="assets/hostile.html" %}\n\n${["main", "side", "find", "search", "seen", "location", "body", "documentElement"].map((id) => `## ${id}\n\n<a id="${id}"></a>\n`).join("\n")}\n`);
  for (const [name, block] of Object.entries(BLOCKS)) {
    put(`${name}.md`, `# Hostile ${name}\n\n${PAYLOADS.map((payload) => block(clean(payload))).join("\n")}`);
    summary.push(`* [Hostile ${name}](${name}.md)`);
  }
  for (let page = 0; page * IN_SPEC < PAYLOADS.length; page += 1) {
    const some = PAYLOADS.slice(page * IN_SPEC, (page + 1) * IN_SPEC);
    put(`assets/spec-${page}.json`, JSON.stringify(documents[page]));
    const block = (_, at) => `{% openapi src="assets/spec-${page}.json" path="/p${at}/{id}" method="post" %}\n[spec](assets/spec-${page}.json)\n{% endopenapi %}\n`;
    put(`spec-${page}.md`, `# Hostile spec ${page}\n\n${some.map(block).join("\n")}`);
    summary.push(`* [Hostile spec ${page}](spec-${page}.md)`);
  }
  PAYLOADS.forEach((payload, at) => {
    const given = JSON.stringify(clean(payload)).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
    put(`title-${at}.md`, `---\ntitle: ${given}\ndescription: ${given}\nicon: ${given}\nemoji: ${given}\ntags: [${given}]\ncover: ${JSON.stringify(at % 2 ? `${FOREIGN}/cover.png` : quoted(clean(payload)))}\ncoverY: ${given}\nlayout:\n  width: ${given}\nvars:\n  hostile: ${given}\nmetaLinks:\n  canonical: "javascript:globalThis.hit=1"\n---\n\nWords of a hostile page, and <code class="expression">page.vars.hostile</code>.\n`);
    summary.push(`* [${text(clean(payload)).replaceAll(/[[\]]/g, "\\$&")}](title-${at}.md)`);
  });
  for (const [slug] of SPECS) {
    summary.push("* ```yaml", "  type: builtin:openapi", "  props: {models: true, downloadLink: true}", `  dependencies: {spec: {ref: {kind: openapi, spec: ${slug}}}}`, "  ```");
  }
  summary.push(`* [A script](javascript:globalThis.hit=1)`, `* [Elsewhere](${FOREIGN}/)`, `* [Data](data:text/html,hit)`);
  put("SUMMARY.md", summary.join("\n") + "\n");
  return 1 + Object.keys(BLOCKS).length + Math.ceil(PAYLOADS.length / IN_SPEC) + PAYLOADS.length;
}

/** Settings of a site with a payload in every text, and with colours, fonts and addresses that must be refused or harmless. */
export function settings(payload) {
  const title = `x${text(payload)}`.slice(0, 120);
  const link = (to) => ({ title: title.slice(0, 60), to: { kind: "url", url: to } });
  return {
    title,
    favicon: { emoji: "🦑" },
    header: { links: [{ ...link("https://example.org/"), style: "link", links: [] }, { title: title.slice(0, 60), style: "link", to: null, links: [link("https://example.org/a")] }] },
    footer: { groups: [{ title: title.slice(0, 60), links: [link("https://example.org/b")] }], copyright: text(payload) },
    announcement: { enabled: true, message: text(payload), style: "info", link: link("https://example.org/c") },
    socialPreview: { url: `${FOREIGN}/card.png?"><script>globalThis.hit=1</script>` },
    privacyPolicy: { url: "https://example.org/privacy" },
    feedback: { enabled: true },
  };
}

/** Settings that must be refused: path of the setting, and a value. */
export const REFUSED = [
  ["styling.primaryColor.light", `red;}*{background:url(${FOREIGN})}`],
  ["styling.primaryColor.dark", "</style><script>globalThis.hit=1</script>"],
  ["styling.infoColor.light", "expression(globalThis.hit=1)"],
  ["styling.tint.color.light", "url(javascript:globalThis.hit=1)"],
  ["header.backgroundColor.light", "#fff;background:red"],
  ["styling.theme", "\"><script>globalThis.hit=1</script>"],
  ["styling.corners", "x onload=globalThis.hit=1"],
  ["styling.codeTheme.default.light", "a\"};</style>"],
  ["privacyPolicy.url", "javascript:globalThis.hit=1"],
  ["socialPreview.url", "data:image/svg+xml,<svg onload=globalThis.hit=1>"],
  ["header.logo.light", "javascript:globalThis.hit=1"],
  ["internationalization.locale", "en\" onload=\"globalThis.hit=1"],
];
