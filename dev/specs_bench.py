#!/usr/bin/env python3
"""Measures how GitHub's OpenAPI document (13 MB, 1,223 operations) is checked, published and read, how each operation of
GitHub's, Stripe's and Figma's documents is rendered on a site, how texts that exceed a limit are refused, and what memory large
texts take. Prints each figure, with its goal if it has one: `dev/bench specs`. The documents are fetched by dev/corpus if
OCTAVO_SPECS does not have them.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

PORT = int(os.environ.get("PORT", 18090))
TOKEN = "bench-token-0123456789-abcdef"
ROUNDS = int(os.environ.get("ROUNDS", 3))
# The documents whose operations are rendered.
RENDERED = ["github.json", "stripe.json", "figma-0.43.yaml"]
# A small document, and a page that shows its operation.
SMALL = {"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"},
         "paths": {"/pets": {"get": {"summary": "List the quadrupeds", "responses": {"200": {"description": "Pets"}}}}}}
PAGE = '# Pets\n\n{% openapi-operation spec="small" path="/pets" method="get" %}\n{% endopenapi-operation %}\n'


def row(what, figures, goal, is_met):
    print(f"{what}: {figures} (goal: {goal}: {'met' if is_met else 'MISSED'})", flush=True)


# Runs a command from a small process: the peak memory of a process includes that of the process that started it.
LAUNCH = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def command(program, arguments, environment, code=0):
    """The processor time in seconds and the peak memory in MiB of a command that must end with this exit code."""
    ended = subprocess.run([sys.executable, "-c", LAUNCH, program, *arguments], env=environment, capture_output=True, text=True)
    ended_with, took, memory = ended.stdout.split() or ["?", 0, 0]
    if ended_with != str(code):
        sys.exit(f"{arguments}: {ended_with}\n{ended.stderr}")
    return float(took), float(memory)


def get(path):
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request) as response:
        return response.read()


def post(path, body, method="POST", token=TOKEN):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or "null")


def timed(read, paths):
    """The times to read these paths one after the other, in milliseconds, the shortest first, and the length of the longest
    article of a page, without navigation and frame."""
    times, longest = [], 0
    for path in paths:
        begun = time.perf_counter()
        answer = read(path)
        times.append((time.perf_counter() - begun) * 1000)
        longest = max(longest, answer.rfind(b"</article>") - answer.find(b"<article"))
    return sorted(times), longest


def shares(times):
    return f"p50 {median(times):.1f}, p95 {times[len(times) * 95 // 100]:.1f}, longest {times[-1]:.1f} ms"


def second(source, folder):
    """The document with one changed description."""
    document = json.loads(source.read_text())
    document["paths"]["/repos/{owner}/{repo}"]["get"]["description"] += " It is cached."
    changed = folder / "second.json"
    changed.write_text(json.dumps(document))
    return changed


def main():
    program, source = sys.argv[1], Path(sys.argv[2])
    if not source.exists():
        sys.exit(f"dev/bench: {source} is not there: dev/corpus {source.parent}")
    checks, firsts, seconds = [], [], []
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        changed = second(source, folder)
        for attempt in range(ROUNDS):
            data = folder / f"data{attempt}"
            environment = {
                **os.environ,
                "OCTAVO_DATA_DIR": str(data),
                "OCTAVO_LISTEN": f"127.0.0.1:{PORT}",
                "OCTAVO_ADMIN_TOKEN": TOKEN,
                "OCTAVO_RATE_LIMIT": "0",
                "OCTAVO_LOG": "error",
            }
            # The first start creates the organization.
            server = serve(program, environment)
            stop(server)
            publish = ["openapi", "publish", "--slug", "github"]
            checks.append(command(program, ["openapi", "check", str(source)], environment))
            firsts.append(command(program, [*publish, str(source)], environment))
            seconds.append(command(program, [*publish, str(changed)], environment))
        for what, measured, limit, room in [
            ("read and check", checks, None, None),
            ("publish: read, check, upgrade and store", firsts, 2, 256),
            ("publish a second version, compared with the first", seconds, None, None),
        ]:
            took, memory = (max(figures) for figures in zip(*measured))
            figures = f"{took:.2f} s of processor time, {memory:.0f} MiB at most in {ROUNDS} rounds"
            if limit is None:
                print(f"{what}: {figures}", flush=True)
            else:
                row(what, figures, f"{limit} s, {room} MiB", took <= limit and memory <= room)
        rendered = {slug_of(name): source.parent / name for name in RENDERED if (source.parent / name).exists()}
        for slug, document in rendered.items():
            if document != source:
                command(program, ["openapi", "publish", "--slug", slug, str(document)], environment)
        texts = folder / "small"
        texts.mkdir()
        (texts / "README.md").write_text(PAGE)
        command(program, ["import", str(texts), "--title", "small"], environment)
        server = serve(program, environment)
        try:
            small()
            read_all(changed)
            for slug in rendered:
                render_all(slug)
            print(f"memory of the server at its highest: {highest(server)} MiB", flush=True)
        finally:
            stop(server)
        refuse_all(program, {**environment, "OCTAVO_DATA_DIR": str(folder / "refused")}, folder)
        send_two(program, {**environment, "OCTAVO_DATA_DIR": str(folder / "sent")})


def serve(program, environment):
    server = subprocess.Popen([program, "serve"], env=environment, stdout=subprocess.DEVNULL)
    for _ in range(500):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/healthz").close()
            return server
        except OSError:
            time.sleep(0.02)
    sys.exit("the server does not start")


def stop(server):
    server.terminate()
    server.wait()


def slug_of(name):
    return name.split(".")[0].split("-")[0]


def organization():
    return "/v1/orgs/" + json.loads(get("/v1/orgs"))["items"][0]["id"]


def seconds_until(is_done):
    begun = time.perf_counter()
    while not is_done():
        if time.perf_counter() - begun > 60:
            sys.exit("it does not come within a minute")
        time.sleep(0.02)
    return time.perf_counter() - begun


def small():
    """How soon a small text is a version, and how soon a page that shows it is then found."""
    spaces = json.loads(get(f"{organization()}/spaces"))["items"]
    space = next(space["id"] for space in spaces if space["title"] == "small")
    spec = f"{organization()}/openapi/small"
    post(spec, {"source": {"text": json.dumps(SMALL)}}, "PUT")
    took = seconds_until(lambda: json.loads(get(spec))["processingState"] == "complete")
    row("a small text becomes a version", f"{took:.2f} s", "2 s", took <= 2)
    took = seconds_until(lambda: json.loads(get(f"/v1/spaces/{space}/search?query=quadrupeds"))["items"])
    row("its operation is found after that", f"{took:.2f} s", "5 s", took <= 5)


def read_all(published):
    versions = f"{organization()}/openapi/github/versions/latest"
    begun = time.perf_counter()
    text = json.loads(get(f"{versions}/content/raw"))["text"]
    took = time.perf_counter() - begun
    row("read the text that was published", f"{took:.2f} s", "the same bytes", text.encode() == published.read_bytes())
    operations, page = [], ""
    while page is not None:
        found = json.loads(get(f"{versions}/operations?limit=1000{page}"))
        operations += [one for one in found["items"] if "path" in one]
        page = f"&page={found['next']['page']}" if "next" in found else None
    paths = [f"{versions}/operation?" + urllib.parse.urlencode({"path": one["path"], "method": one["method"]}) for one in operations]
    times, _ = timed(get, paths)
    row(f"read one of {len(paths)} operations over HTTP", shares(times), "p95 5 ms", times[len(times) * 95 // 100] <= 5)


def render_all(slug):
    """Reads the page of each operation of a spec on a site, as visitors do, and then all of them again after a change
    elsewhere, so that no finished response is sent again."""
    source = {"type": "builtin:openapi", "props": {"grouping": "by-operation"}, "dependencies": {"spec": {"ref": {"kind": "openapi", "spec": slug}}}}
    space = post(f"{organization()}/spaces", {"title": slug, "computedSource": source})["id"]
    site = post(f"{organization()}/sites", {"title": slug, "spaces": [space]})["id"]
    published = post(f"{organization()}/sites/{site}/publish", {})["urls"]["published"]
    base = urllib.parse.urlsplit(published).path.rstrip("/")
    paths, nodes = [], json.loads(get(f"/v1/spaces/{space}/content/pages"))["pages"]
    while nodes:
        node = nodes.pop()
        nodes += node.get("pages", [])
        if node.get("computed", {}).get("props", {}).get("doc") == "operation":
            paths.append(f"{base}/{node['path']}")
    first, longest = timed(get, paths)
    post(f"{organization()}/spaces", {"title": "Elsewhere"})
    again, _ = timed(get, paths)
    print(f"render one of {len(paths)} operations of {slug} on a site for the first time: {shares(first)}", flush=True)
    row("the same again, after a change elsewhere", shares(again), "p95 20 ms", again[len(again) * 95 // 100] <= 20)
    row("the largest article of these pages", f"{longest // 1024} KiB", "300 KiB", longest <= 300 * 1024)


def highest(server):
    """The highest memory of a server until now, in MiB."""
    peak = next(line for line in Path(f"/proc/{server.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) // 1024


def beyond_limits():
    """Texts that exceed a limit each."""
    aliases = ["a0: &a0 [" + ", ".join("x" * 9) + "]"]
    aliases += [f"a{level}: &a{level} [" + ", ".join([f"*a{level - 1}"] * 9) + "]" for level in range(1, 10)]
    files = [{"$ref": f"https://files.example/{n}.json"} for n in range(201)]
    return {
        "a bomb of aliases": "\n".join(aliases) + "\n",
        "100,000 brackets": "[" * 100_000,
        "33 MiB": 'a: "' + "x" * (33 << 20) + '"',
        "201 files": json.dumps({**SMALL, "components": {"schemas": {"A": {"allOf": files}}}}),
        "4,000,001 values": "[" + "1," * 3_999_999 + "1]",
    }


def refuse_all(program, environment, folder):
    """How soon a text that exceeds a limit has its fatal finding, at the command line and on a server of its own. A request
    with the longest one is refused."""
    texts = beyond_limits()
    for what, text in texts.items():
        file = folder / "refused.yaml"
        file.write_text(text)
        begun = time.perf_counter()
        _, memory = command(program, ["openapi", "check", str(file)], environment, code=3)
        took = time.perf_counter() - begun
        row(f"check {what}", f"{took:.2f} s, {memory:.0f} MiB", "2 s, 128 MiB", took <= 2 and memory <= 128)
    server = serve(program, environment)
    try:
        before = highest(server)
        spec = f"{organization()}/openapi/refused"
        for what, text in texts.items():
            refuse(spec, what, text)
        print(f"memory of a server: {before} MiB after its start, {highest(server)} MiB at its highest with these texts", flush=True)
    finally:
        stop(server)


def refuse(spec, what, text):
    begun = time.perf_counter()
    try:
        post(spec, {"source": {"text": text}}, "PUT")
    except urllib.error.HTTPError as refused:
        took = time.perf_counter() - begun
        row(f"send {what}", f"status {refused.code} after {took:.2f} s", "413 within 2 s", refused.code == 413 and took <= 2)
        return
    reads, shown = [], {}
    while shown.get("processingState") != "complete":
        asked = time.perf_counter()
        shown = json.loads(get(spec))
        reads.append((time.perf_counter() - asked) * 1000)
        if asked - begun > 60:
            sys.exit(f"{what}: it is not processed within a minute")
        time.sleep(0.01)
    took = time.perf_counter() - begun
    fatal = [one for one in shown["lastProcessedErrors"] if one.get("level") == "fatal"]
    figures = f"fatal finding {took:.2f} s after the request began, {len(reads)} reads meanwhile, the longest {max(reads):.1f} ms"
    row(f"send {what}", figures, "2 s", len(fatal) == 1 and took <= 2)


def send_two(program, environment):
    """The memory of a server of its own when two callers send 32 MiB each at once."""
    server = serve(program, environment)
    try:
        before = highest(server)
        ask = {"env": environment, "check": True, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        subprocess.run([program, "user", "create", "eve@example.org", "--role", "create"], **ask)
        eve = subprocess.run([program, "token", "create", "--user", "eve@example.org", "--label", "bench"], **ask).stdout.strip()
        specs = [f"{organization()}/openapi/{slug}" for slug in ["ada", "eve"]]
        bodies = [{"source": {"text": large(word)}} for word in ["first ", "other "]]
        with ThreadPoolExecutor(2) as callers:
            list(callers.map(post, specs, bodies, ["PUT"] * 2, [TOKEN, eve]))
        sent = highest(server)
        for spec in specs:
            seconds_until(lambda: json.loads(get(spec))["processingState"] == "complete")
            if "lastVersion" not in json.loads(get(spec)):
                sys.exit(f"{spec}: there is no version")
        print(
            f"memory of a server: {before} MiB after its start, {sent} MiB at its highest when two callers have sent 32 MiB each at"
            f" once, {highest(server)} MiB when both texts are versions",
            flush=True,
        )
    finally:
        stop(server)


def large(word):
    """A document of 32 MiB with 30,000 schemas."""
    schemas = {f"S{n}": {"description": word * 166} for n in range(30_000)}
    text = json.dumps({**SMALL, "components": {"schemas": schemas}})
    return text + " " * ((32 << 20) - len(text))


if __name__ == "__main__":
    main()
