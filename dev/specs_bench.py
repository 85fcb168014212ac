#!/usr/bin/env python3
"""Measures how GitHub's OpenAPI document (13 MB, 1,223 operations) is checked, published and read, and how each operation of
GitHub's, Stripe's and Figma's documents is drawn on a site, and prints each figure, with its goal if it has one: `dev/bench specs`.
The documents are fetched by dev/corpus if OCTAVO_SPECS does not have them.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path
from statistics import median

PORT = int(os.environ.get("PORT", 18090))
TOKEN = "bench-token-0123456789-abcdef"
ROUNDS = int(os.environ.get("ROUNDS", 3))
# The documents whose operations are drawn.
DRAWN = ["github.json", "stripe.json", "figma-0.43.yaml"]
# A small document, and a page that shows its operation.
SMALL = {"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"},
         "paths": {"/pets": {"get": {"summary": "List the quadrupeds", "responses": {"200": {"description": "Pets"}}}}}}
PAGE = '# Pets\n\n{% openapi-operation spec="small" path="/pets" method="get" %}\n{% endopenapi-operation %}\n'


def row(what, figures, goal, is_met):
    print(f"{what}: {figures} (goal: {goal}: {'met' if is_met else 'MISSED'})", flush=True)


def command(program, arguments, environment):
    """The processor time in seconds and the peak memory in MiB of a command that must succeed."""
    with tempfile.TemporaryFile() as said:
        started = subprocess.Popen([program, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(started.pid, 0)
        if status != 0:
            said.seek(0)
            sys.exit(f"{arguments}: {os.waitstatus_to_exitcode(status)}\n{said.read().decode()}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def get(path):
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request) as response:
        return response.read()


def post(path, body, method="POST"):
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or "null")


def timed(read, paths):
    """The times to read these paths one after the other, in milliseconds, the shortest first, and the longest response."""
    times, longest = [], 0
    for path in paths:
        begun = time.perf_counter()
        answer = read(path)
        times.append((time.perf_counter() - begun) * 1000)
        longest = max(longest, len(answer))
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
        drawn = {slug_of(name): source.parent / name for name in DRAWN if (source.parent / name).exists()}
        for slug, document in drawn.items():
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
            for slug in drawn:
                draw_all(slug)
            print_memory(server)
        finally:
            stop(server)


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


def draw_all(slug):
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
    print(f"draw one of {len(paths)} operations of {slug} on a site for the first time: {shares(first)}", flush=True)
    row("the same again, after a change elsewhere", shares(again), "p95 20 ms", again[len(again) * 95 // 100] <= 20)
    row("the largest of these pages", f"{longest // 1024} KiB", "300 KiB for the operation", longest <= 300 * 1024)


def print_memory(server):
    peak = next(line for line in Path(f"/proc/{server.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(f"memory of the server at its highest: {int(peak.split()[1]) // 1024} MiB", flush=True)


main()
