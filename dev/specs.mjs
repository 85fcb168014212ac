// Publishes OpenAPI documents on a server, and reads what its API returns of them with a parser that others use:
//
//   node dev/specs.mjs URL --token TOKEN --octavo PROGRAM --tools FOLDER FILE...
//
// `content?filesystem=list` is the form in which renderers load a document. The parser must find it valid, with every
// operation. Files that are not there are left out, and told. `--tools` has node_modules with @scalar/openapi-parser.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const text = { type: "string" };
const { values, positionals: [url, ...files] } = parseArgs({ allowPositionals: true, options: { token: text, octavo: text, tools: text } });
if (!url || !values.token || !values.octavo || !values.tools || files.length === 0) {
  console.error("usage: node dev/specs.mjs URL --token TOKEN --octavo PROGRAM --tools FOLDER FILE...");
  process.exit(64);
}
const found = createRequire(join(values.tools, "package.json")).resolve("@scalar/openapi-parser");
const { dereference, validate } = await import(pathToFileURL(found));
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

async function get(path) {
  const response = await fetch(`${url}/v1${path}`, { headers: { authorization: `Bearer ${values.token}` } });
  if (!response.ok) throw new Error(`GET ${path} is answered ${response.status}`);
  return response.json();
}

/** The number of operations of a version, by its own list. */
async function listed(spec) {
  let count = 0;
  for (let page = ""; page !== undefined; ) {
    const list = await get(`${spec}/versions/latest/operations?limit=1000${page && `&page=${page}`}`);
    count += list.items.filter(({ webhook, method }) => !webhook && METHODS.includes(method.toLowerCase())).length;
    page = list.next?.page;
  }
  return count;
}

const { items: [{ id: organization }] } = await get("/orgs?limit=1");
let faults = 0;
let tried = 0;
for (const file of files) {
  const slug = basename(file).replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9]+/g, "-");
  if (!existsSync(file)) {
    console.log(`${slug}: not there`);
    continue;
  }
  const env = { ...process.env, OCTAVO_TOKEN: values.token };
  execFileSync(values.octavo, ["openapi", "publish", file, "--slug", slug, "--server", url, "--organization", organization], { stdio: ["ignore", "ignore", "pipe"], env });
  const spec = `/orgs/${organization}/openapi/${slug}`;
  const { filesystem } = await get(`${spec}/versions/latest/content?filesystem=list`);
  // The parser takes a property that is named `$ref` for a reference, and looks into extensions. References have tests.
  const errors = ((await validate(filesystem)).errors ?? []).filter(({ code }) => code !== "INVALID_REFERENCE");
  const valid = errors.length === 0;
  const { schema } = await dereference(filesystem);
  const operations = Object.values(schema.paths ?? {}).flatMap((item) => Object.keys(item).filter((method) => METHODS.includes(method)));
  const expected = await listed(spec);
  const fine = valid && operations.length === expected && expected > 0;
  faults += fine ? 0 : 1;
  tried += 1;
  console.log(`${slug}: ${operations.length} of ${expected} operations, ${valid ? "valid" : `invalid: ${JSON.stringify(errors.slice(0, 3))}`}`);
}
if (tried === 0) console.log("Nothing was tried: `dev/corpus` fetches the documents.");
process.exit(faults > 0 ? 1 : 0);
