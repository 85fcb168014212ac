#!/usr/bin/env python3
"""Measures translations and conversations (docs/promises.md) on loopback:

    dev/engines.py                  on SQLite
    dev/engines.py postgres://…     on that PostgreSQL database, which must be empty

The translator is `pseudo`, which takes no time. OCTAVO_BINARY names the program; otherwise it is built (profile dist).
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "reader"))
from server import Octavo  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PAGES, CONVERSATIONS, BATCH = 1000, 10_000, 100
CORPUS = ROOT.parent / "shared/corpus/conversations/multidogo-conversations.jsonl"


def program():
    if named := os.environ.get("OCTAVO_BINARY"):
        return named
    subprocess.run(["cargo", "build", "--profile", "dist", "--quiet", "-p", "app"], cwd=ROOT, check=True)
    return str(Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "dist/octavo")


def write(folder):
    folder.mkdir()
    lines = ["# Table of contents", ""]
    for page in range(PAGES):
        lines.append(f"* [Page {page}](page-{page}.md)")
        parts = [f"# Page {page}\n\nPage {page} of the manual."]
        for section in range(6):
            words = f"Engine number {page * 6 + section} weaves patterns of **algebra** with `loom --weave`, see [the first](page-0.md). "
            parts.append(f"## Section {section}\n\n{words * 3}\n\n* one point of page {page}\n* another point of section {section}")
        (folder / f"page-{page}.md").write_text("\n\n".join(parts) + "\n")
    (folder / "SUMMARY.md").write_text("\n".join(lines) + "\n")


def wait(ready, limit=900):
    began = time.perf_counter()
    while not ready():
        if time.perf_counter() - began > limit:
            raise RuntimeError("it takes too long")
        time.sleep(0.05)
    return time.perf_counter() - began


def row(what, value, ceiling, unit):
    print(f"    {what}: {value:.1f} {unit} (at most {ceiling}): {'met' if value <= ceiling else 'MISSED'}", flush=True)


def translations(octavo, work):
    write(work / "manual")
    space = octavo.space(work / "manual")

    def translate():
        body = {"source": {"space": space, "language": "en"}, "language": "de"}
        path = f"{octavo.org}/translations/{octavo.api('POST', f'{octavo.org}/translations', body)['id']}"
        took = wait(lambda: octavo.api("GET", path)["status"] == "completed")
        stats = octavo.api("GET", path)["stats"]
        return path, took, stats

    _, took, stats = translate()
    print(f"{PAGES} pages, {stats['latestWords']} words; the first run took {took:.1f} s", flush=True)
    path, took, stats = translate()
    assert stats["latestWords"] == 0, stats
    row("a new space from a full memory", took, 10, "s")
    octavo.api("POST", f"{path}/run")
    began = time.perf_counter()
    wait(lambda: octavo.api("GET", path)["stats"]["runs"] == 2)
    row("a run that changes nothing", time.perf_counter() - began, 10, "s")


def talks():
    """10,000 conversations: those of the corpus, again with other names, or made ones where it is absent."""
    random.seed(37)
    if CORPUS.exists():
        texts = [[message["text"] for message in json.loads(line)["messages"]] for line in CORPUS.read_text().splitlines()]
    else:
        print("    the corpus is absent: made texts instead", flush=True)
        things = ["login", "invoice", "export", "webhook", "dashboard", "search", "password", "upload", "report", "token"]
        texts = [[f"My {a} does not work since I changed the {b}, it says error {n % 17}."] for n, (a, b) in
                 enumerate((random.choice(things), random.choice(things)) for _ in range(3600))]
    made = []
    for number in range(CONVERSATIONS):
        parts = texts[number % len(texts)]
        text = [f"{part} (case {number // len(texts)})" if number >= len(texts) else part for part in parts]
        messages = [{"type": "message", "role": "user", "body": body[:2000] or "-"} for body in text]
        made.append({"id": f"c{number}", "subject": text[0][:80] or "-", "parts": messages,
                     "metadata": {"url": f"https://support.example.org/{number}", "attributes": {}, "createdAt": "2026-11-01T00:00:00Z"}})
    return made


def conversations(octavo):
    batches = [made[at:at + BATCH] for made in [talks()] for at in range(0, CONVERSATIONS, BATCH)]
    peak = octavo.memory()
    began = time.perf_counter()
    for batch in batches:
        octavo.api("POST", f"{octavo.org}/conversations", batch)
    stored = time.perf_counter() - began
    print(f"{CONVERSATIONS} conversations", flush=True)
    row("stored", stored, 60, "s")

    def clusters():
        page = octavo.api("GET", f"{octavo.org}/conversations-clusters?limit=1000")
        return [(one["id"], one["stats"], one["label"]) for one in page["items"]], page["count"]

    def processed():
        nonlocal peak, following
        peak = max(peak, octavo.memory())
        page = octavo.api("GET", f"{octavo.org}/conversations?limit=1000{following}")
        if not all("processedAt" in one for one in page["items"]):
            return False
        if "next" in page:
            following = f"&page={page['next']['page']}"
        return "next" not in page

    following = ""
    took = wait(processed)
    # The groups are done when nothing changes any more.
    seen, still, began = clusters(), 0, time.perf_counter()
    last = began
    while still < 10:
        time.sleep(1)
        peak = max(peak, octavo.memory())
        now = clusters()
        seen, still, last = (seen, still + 1, last) if now == seen else (now, 0, time.perf_counter())
    row("grouped after that", took + last - began, 120, "s")
    row("memory at its highest", peak, 300, "MiB")
    print(f"    {octavo.api('GET', f'{octavo.org}/conversations-issues?limit=1')['count']} issues, {seen[1]} clusters", flush=True)


def main():
    database = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(prefix="octavo-bench-") as folder:
        work = Path(folder)
        octavo = Octavo(program(), work, int(os.environ.get("PORT", "18190")), database)
        octavo.environment["OCTAVO_TRANSLATOR"] = "pseudo"
        octavo.start()
        try:
            translations(octavo, work)
            octavo.stop()
            octavo.start()
            conversations(octavo)
        finally:
            octavo.stop()


if __name__ == "__main__":
    main()
