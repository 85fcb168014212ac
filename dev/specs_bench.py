#!/usr/bin/env python3
"""Measures how GitHub's OpenAPI document (13 MB, 1,223 operations) is checked, published and read, and prints each figure
with its goal (docs/promises.md): `dev/bench specs`. The document is fetched by dev/corpus if OCTAVO_SPECS does not have it.
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
        server = serve(program, environment)
        try:
            read_all(server)
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


def read_all(server):
    organization = json.loads(get("/v1/orgs"))["items"][0]["id"]
    versions = f"/v1/orgs/{organization}/openapi/github/versions/latest"
    operations, page = [], ""
    while page is not None:
        found = json.loads(get(f"{versions}/operations?limit=1000{page}"))
        operations += [one for one in found["items"] if "path" in one]
        page = f"&page={found['next']['page']}" if "next" in found else None
    paths = [f"{versions}/operation?" + urllib.parse.urlencode({"path": one["path"], "method": one["method"]}) for one in operations]
    times = []
    for path in paths:
        begun = time.perf_counter()
        get(path)
        times.append((time.perf_counter() - begun) * 1000)
    times.sort()
    figures = f"p50 {median(times):.1f}, p95 {times[len(times) * 95 // 100]:.1f}, longest {times[-1]:.1f} ms"
    row(f"read one of {len(paths)} operations over HTTP", figures, "p95 5 ms", times[len(times) * 95 // 100] <= 5)
    peak = next(line for line in Path(f"/proc/{server.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(f"memory of the server at its highest: {int(peak.split()[1]) // 1024} MiB", flush=True)


main()
