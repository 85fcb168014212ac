// A form that sends a request of an operation from this page, as the visitor fills it in. Nothing is stored: credentials
// are for the forms of this page, and gone with it.
const MOST = 300000;
const typed = new Map();
const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const key in attributes) if (attributes[key] !== undefined) node.setAttribute(key, attributes[key]);
  node.append(...children);
  return node;
};
const group = (title, ...children) => make("fieldset", {}, make("legend", {}, title), ...children);
const choice = (values, empty) => make("select", {}, ...(empty ? [make("option", { value: "" })] : []), ...values.map((value) => make("option", { value }, value)));
const labelled = (name, control, required, whole) =>
  make("label", { class: whole ? "o-whole" : undefined }, make("span", { translate: "no" }, name, ...(required ? [make("i", { "aria-hidden": "true" }, " *")] : [])), control);

// The control of a parameter.
const control = ({ name, required, values, example }) => {
  const node = values ? choice(values, !required) : make("input", { placeholder: example, autocomplete: "off", spellcheck: "false" });
  node.name = name;
  node.required = !!required;
  return node;
};

// The control of a credential. Its value is the same in all forms of the page. It is no password field: browsers would
// offer to store it.
const secret = (credential) => {
  const key = credential.in + " " + credential.name;
  const node = make("input", { name: "credential-" + credential.label, class: "o-secret", placeholder: credential.hint, autocomplete: "off", spellcheck: "false" });
  node.value = typed.get(key) ?? "";
  node.addEventListener("input", () => typed.set(key, node.value));
  return { credential, node, fill: () => (node.value ||= typed.get(key) ?? "") };
};

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

// The value that is sent for a credential.
const proof = ({ prefix, basic }, text) => {
  const value = basic && text.includes(":") ? base64(text) : text;
  return prefix && !value.toLowerCase().startsWith(prefix.toLowerCase()) ? prefix + value : value;
};

// JSON in lines, if that changes no value.
const pretty = (text) => {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text.trim() ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
};

const isText = (type) => /^text\/|json|xml|yaml|javascript|form-urlencoded|^$/.test(type);

// What came back.
const show = async (place, words, response, begun) => {
  const text = isText(response.headers.get("content-type") ?? "") ? await response.text() : undefined;
  const bytes = text === undefined ? (await response.blob()).size : new TextEncoder().encode(text).length;
  const status = make("strong", {}, `${response.status} ${response.statusText}`.trim());
  place.toggleAttribute("data-failed", !response.ok);
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  const block = (content) => make("figure", { class: "o-code" }, make("pre", { tabindex: "0", dir: "ltr" }, make("code", { translate: "no" }, content)));
  place.replaceChildren(
    make("p", { role: "status" }, status, ` · ${Math.round(performance.now() - begun)} ms · ${bytes} B`),
    make("details", {}, make("summary", {}, words.headers), block(lines)),
  );
  if (text) place.append(block(text.length > MOST ? text.slice(0, MOST) + "\n…" : pretty(text)));
};

const build = (operation) => {
  const { method, path, servers, parameters = [], credentials = [], bodies = [], words } = operation;
  const form = make("form", { class: "o-try-form", "aria-label": `${method} ${path}` });
  const server = choice(servers);
  const secrets = credentials.map(secret);
  const fields = parameters.map((parameter) => ({ parameter, node: control(parameter) }));
  const types = choice(bodies.map((body) => body.type));
  server.name = "server";
  types.name = "type";
  const text = make("textarea", { name: "body", spellcheck: "false", autocomplete: "off" });
  const file = make("input", { name: "file", type: "file" });
  const body = () => bodies[types.selectedIndex];
  const kind = () => {
    text.value = body()?.text ?? "";
    text.hidden = !!body()?.file;
    file.hidden = !text.hidden;
  };
  types.addEventListener("change", kind);
  kind();
  server.setAttribute("aria-label", words.server);
  if (servers[1]) form.append(group(words.server, labelled("", server, false, true)));
  if (secrets[0]) form.append(group(words.authorization, make("p", {}, words.private), ...secrets.map(({ credential, node }) => labelled(credential.name, node))));
  for (const place of ["path", "query", "header"]) {
    const own = fields.filter(({ parameter }) => parameter.in === place);
    if (own[0]) form.append(group(words[place], ...own.map(({ parameter, node }) => labelled(parameter.name, node, parameter.required))));
  }
  if (bodies[0]) {
    for (const node of [text, file]) node.setAttribute("aria-label", words.body);
    form.append(group(words.body, bodies[1] ? labelled("Content-Type", types) : "", make("label", { class: "o-whole" }, text, file)));
  }
  const place = make("div", { class: "o-try-answer" });
  const button = make("button", { class: "o-button o-primary" }, words.send);
  form.append(button, place);

  const request = () => {
    const headers = new Headers();
    const query = new URLSearchParams();
    const inPath = {};
    for (const { parameter, node } of fields) {
      if (parameter.in === "path") inPath[parameter.name] = node.value;
      else if (node.value) (parameter.in === "query" ? query : headers).append(parameter.name, node.value);
    }
    for (const { credential, node } of secrets) {
      if (node.value) (credential.in === "query" ? query : headers).append(credential.name, proof(credential, node.value.trim()));
    }
    const own = body();
    const content = own && (own.file ? file.files[0] : text.value);
    if (content) headers.set("Content-Type", own.type);
    const filled = path.split("#")[0].replace(/{([^{}]*)}/g, (whole, name) => (name in inPath ? encodeURIComponent(inPath[name]) : whole));
    const search = query.toString();
    const url = server.value + filled + (search && (filled.includes("?") ? "&" : "?") + search);
    const rest = { credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" };
    return [url, { method, headers, body: content || undefined, ...rest }];
  };

  let running;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    running?.abort();
    const own = (running = new AbortController());
    place.setAttribute("aria-busy", "true");
    const begun = performance.now();
    try {
      const [url, options] = request();
      const response = await fetch(url, { ...options, signal: own.signal });
      if (running === own) await show(place, words, response, begun);
    } catch (fault) {
      if (running !== own) return;
      place.setAttribute("data-failed", "");
      place.replaceChildren(make("p", { role: "status" }, make("strong", {}, words.failed), ` (${fault.message})`));
    }
    if (running === own) place.removeAttribute("aria-busy");
  });
  form.fill = () => secrets.forEach(({ fill }) => fill());
  return form;
};

// Opens the form of an operation, or closes it.
export const open = (opener) => {
  const endpoint = opener.closest(".o-endpoint");
  let form = endpoint.nextElementSibling;
  if (form?.matches(".o-try-form")) form.hidden = !form.hidden;
  else {
    form = build(JSON.parse(opener.dataset.try));
    endpoint.after(form);
  }
  opener.setAttribute("aria-expanded", !form.hidden);
  if (form.hidden) return;
  form.fill();
  form.querySelector("input, select, textarea, button").focus();
};
