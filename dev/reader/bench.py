#!/usr/bin/env python3
"""Measures pages of sites beside nginx, on SQLite and on PostgreSQL, and prints each figure with its goal (docs/promises.md,
W1 to W11): `dev/bench reader [sqlite] [postgres]`. dev/bench says what it needs.

Rates are taken in rounds in which all take turns, so that what else the machine does slows them all down.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from urllib.parse import quote, urlencode, urljoin

import texts
from server import MODULES, Nginx, Octavo, Visitor

SHARED = Path(os.environ.get("OCTAVO_SHARED", "../shared")).absolute()
sys.path.insert(0, str(SHARED / "bench"))
import ceil_load  # noqa: E402

ROUNDS, SECONDS = int(os.environ.get("ROUNDS", 5)), float(os.environ.get("SECS", 3))
MERGES = int(os.environ.get("MERGES", 50))
# Pages of the large space, and of all variants: fewer only to try the script.
PAGES = int(os.environ.get("PAGES", 10_000))
PORT = int(os.environ.get("PORT", 18090))
PAGE = texts.path(1)
random.seed(1)


def row(name, what, figures, goal=None, is_met=None):
    end = "" if goal is None else f" (goal: {goal}: {'met' if is_met else 'MISSED'})"
    print(f"{name:4} {what}: {figures}{end}", flush=True)


def part(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def times(values, busy=None):
    own = "" if busy is None else f", {busy / len(values):.2f} ms of processor time each"
    return f"p50 {median(values):.2f} ms, p95 {part(values, 0.95):.2f} ms, longest {max(values):.1f} ms{own}"


class Reader:
    """A run on one database."""

    def __init__(self, program, nginx, work, database):
        self.work, self.database = work, database
        self.texts = work.parent / "texts"
        self.octavo = Octavo(program, work, PORT, database)
        self.nginx = Nginx(nginx, work, PORT + 1)

    def run(self):
        try:
            self.octavo.start()
            self.fill()
            self.rates()
            self.weights()
            self.merges()
            self.headers()
            self.searches()
            self.octavo.stop()
            self.memory()
        finally:
            self.nginx.stop()
            self.octavo.stop()

    def busy(self):
        """Milliseconds of processor time of the server and its database: what does not depend on other programs."""
        database = postgres(self.database)
        return self.octavo.busy(ceil_load.children(database) if database else ())

    def fill(self):
        begun = time.monotonic()
        self.spaces = {name: self.octavo.space(self.texts / name) for name in ["small", "large", *(f"variant-{n}" for n in range(5))]}
        self.octavo.site("Small", [self.spaces["small"]])
        self.large = self.octavo.site("Large", [self.spaces["large"]])
        self.octavo.site("Variants", [self.spaces[f"variant-{n}"] for n in range(5)])
        if self.database:
            # The server of the bench does not do this by itself.
            subprocess.run(["psql", "--quiet", self.database, "--command", "vacuum analyze"], check=True)
        print(f"     {PAGES * 2 + 200:,} pages imported in {time.monotonic() - begun:.0f} s", flush=True)

    def private(self):
        """A site behind a share link with ten conditions, and the cookies of a visitor for whom half of them hold."""
        site = self.octavo.site("Private", [self.spaces["small"]], visibility="share-link", adaptiveContent={"enabled": True})
        plan = {"plan": {"type": "string", "description": "The plan"}}
        properties = {"unsigned": {"type": "object", "description": "Unsigned claims of the site visitor.", "additionalProperties": False, "properties": plan}}
        self.octavo.api("PUT", f"{site}/adaptive-schema", {"jsonSchema": {"type": "object", "additionalProperties": False, "properties": properties}})
        condition = "visitor.claims.unsigned.plan {} 'plan-{}'"
        links = [{"title": f"Link {n}", "to": {"kind": "url", "url": f"https://example.org/{n}"}, "condition": condition.format("!==" if n % 2 else "===", n)}
                 for n in range(10)]
        self.octavo.api("PUT", f"{site}/customization", {"header": {"links": links}})
        link = self.octavo.api("POST", f"{site}/share-links", {"name": "Bench"})
        key = link["urls"]["published"].rstrip("/").rsplit("/", 1)[1]
        claims = quote('{"plan":"pro"}')
        cookie = f"octavo-share={key}; octavo-claims={claims}"
        page = Visitor(PORT).page(f"/s/private/{PAGE}", Cookie=cookie)
        if page.headers["Cache-Control"] != "private, no-store":
            raise RuntimeError(f"a private page is {page.headers['Cache-Control']}")
        return cookie

    def book(self):
        """The same page by mdBook, or nothing if it is not there."""
        mdbook = os.environ.get("MDBOOK") or shutil.which("mdbook")
        if not mdbook:
            print("     mdBook is not here: nginx serves the bytes of the reader only")
            return False
        folder = self.work / "book"
        folder.mkdir()
        (folder / "book.toml").write_text(f'[book]\ntitle = "Small"\nsrc = "{self.texts}/small"\n')
        subprocess.run([mdbook, "build", str(folder)], check=True, capture_output=True)
        self.nginx.add(f"/book/{PAGE}.html", (folder / f"book/{PAGE}.html").read_bytes())
        version = subprocess.run([mdbook, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        print(f"     {version}: {self.size(f'/book/{PAGE}.html')}")
        return True

    def size(self, path):
        file = self.nginx.root / path.lstrip("/")
        return ", ".join(f"{Path(f'{file}{end}').stat().st_size} bytes {name}" for end, name in (("", "of HTML"), (".br", "brotli"), (".gz", "gzip")))

    def rates(self):
        """W1, W2, W3, and W1 in a large site: all in turn."""
        page, visitor = f"/s/small/{PAGE}", Visitor(PORT)
        bodies = [visitor.page(page, Accept_Encoding=encoding).body for encoding in ("identity", "br", "gzip")]
        self.nginx.add(page, *bodies)
        print(f"     page of the reader: {self.size(page)}")
        book = f"/book/{PAGE}.html" if self.book() else page
        cookie = self.private()
        self.nginx.start()
        tags = {base: Visitor(port).page(path).headers["ETag"] for base, port, path in
                ((self.octavo.base, PORT, page), (self.nginx.base, PORT + 1, book))}
        contestants = {
            "nginx": (self.nginx.base, book, ""),
            "same": (self.nginx.base, page, ""),
            "nginx 304": (self.nginx.base, book, f"\nIf-None-Match: {tags[self.nginx.base]}"),
            "hot": (self.octavo.base, page, ""),
            "large": (self.octavo.base, f"/s/large/{PAGE}", ""),
            "304": (self.octavo.base, page, f"\nIf-None-Match: {tags[self.octavo.base]}"),
            "private": (self.octavo.base, f"/s/private/{PAGE}", f"\nCookie: {cookie}"),
        }
        helpers = [pid for pid in (self.octavo.process.pid, self.nginx.pid, postgres(self.database)) if pid]
        taken = {name: [] for name in contestants}

        def load(name, seconds):
            base, path, headers = contestants[name]
            return ceil_load.load(base, [path], 16, seconds, headers=f"Accept-Encoding: br{headers}", helpers=helpers)

        for name in contestants:
            load(name, 1)
        for number in range(ROUNDS):
            ceil_load.quiet(0.2, 5)
            # The order turns, so that a drift of the machine favours none.
            for name in list(contestants)[:: 1 if number % 2 == 0 else -1]:
                taken[name].append(load(name, SECONDS))
        if bad := sum(one["bad"] + one["sock"] for some in taken.values() for one in some):
            raise RuntimeError(f"{bad} requests failed")

        def ratio(name, other):
            return median(a["rps"] / b["rps"] for a, b in zip(taken[name], taken[other]))

        def late(name, other):
            return median(a["p99"] / b["p99"] for a, b in zip(taken[name], taken[other]))

        def middle(name, what):
            return median(one[what] for one in taken[name])

        def rate(name):
            times = f"p50 {middle(name, 'p50'):.0f} us, p99 {middle(name, 'p99'):.0f} us"
            return f"{middle(name, 'rps'):,.0f}/s, {times}, {middle(name, 'helper_us'):.1f} us of processor time each"

        def lean(name, other):
            # Unlike rates, it hardly depends on what other programs do.
            return f", in processor time {middle(other, 'helper_us') / middle(name, 'helper_us'):.2f}"

        for name in contestants:
            print(f"     {name}: {rate(name)}")
        strangers = max(one["foreign"] for some in taken.values() for one in some)
        print(f"     other programs took up to {strangers:.0%} of the processors")
        w1, p99 = ratio("hot", "nginx"), late("hot", "nginx")
        row("W1", "hot page, of nginx with mdBook's page", f"{w1:.2f}, p99 {p99:.2f} times{lean('hot', 'nginx')}", ">= 0.8, p99 <= 1.25 times", w1 >= 0.8 and p99 <= 1.25)
        row("W1", "hot page, of nginx with the same bytes", f"{ratio('hot', 'same'):.2f}, p99 {late('hot', 'same'):.2f} times{lean('hot', 'same')}")
        row("W2", "304, of nginx", f"{ratio('304', 'nginx 304'):.2f}, p99 {late('304', 'nginx 304'):.2f} times{lean('304', 'nginx 304')}", ">= 0.9", ratio("304", "nginx 304") >= 0.9)
        row("W3", "behind a share link with ten conditions, of W1", f"{ratio('private', 'hot'):.2f}{lean('private', 'hot')}", ">= 0.5", ratio("private", "hot") >= 0.5)
        row("W11", "hot page of 10,000, of W1", f"{ratio('large', 'hot'):.2f}{lean('large', 'hot')}", ">= 0.95", ratio("large", "hot") >= 0.95)

    def weights(self):
        """W9 and W11: what a browser that keeps nothing loads before it shows a page."""
        visitor = Visitor(PORT)
        size = len(visitor.page(f"/s/large/{texts.path(PAGES // 2 + 50)}").body)
        row("W11", "HTML of a page of 10,000, brotli", f"{size:,} bytes", "<= 18,432", size <= 18_432)
        corpus = SHARED / "corpus/fluentd-docs"
        if not corpus.is_dir():
            row("W9", "weight of a page", "not measured: the corpus is not here")
            return
        self.octavo.site("Fluentd", [self.octavo.space(corpus)])
        page = "/s/fluentd/output/forward"
        html = visitor.page(page)
        text = visitor.page(page, Accept_Encoding="identity").body.decode()
        found = re.findall(r'<link rel="stylesheet" href="([^"]+)|<script type="module" src="([^"]+)', text)
        assets = {href: visitor.page(href).body for pair in found for href in pair if href}
        style = next(visitor.page(href, Accept_Encoding="identity").body.decode() for href in assets if ".css" in href)
        # A browser loads the fonts of the letters that it shows: of a page in English, those that are loaded ahead.
        fonts = set(re.findall(r'<link rel="preload" href="([^"]+)" as="font"', text)) | set(re.findall(r'<([^>]+)>; rel="?preload"?; as="?font', html.headers["Link"] or ""))
        fonts = sum(len(visitor.page(urljoin(page, href)).body) for href in fonts)
        total, requests = len(html.body) + sum(map(len, assets.values())), 1 + len(assets)
        parts = ", ".join([f"HTML {len(html.body):,}", *(f"{href.rsplit('/', 1)[1]} {len(body):,}" for href, body in assets.items())])
        row("W9", "weight of a page of 18 KB of Markdown", f"{total:,} bytes in {requests} requests ({parts})", "<= 26,624 in 4", total <= 26_624 and requests <= 4)
        row("W9", "with fonts", f"{total + fonts:,} bytes, {style.count('@font-face')} fonts in the style sheet", "<= 76,800", total + fonts <= 76_800)

    def merges(self):
        """W4: pages right after a merge: the one that was edited, and another one."""
        space, visitor = f"/spaces/{self.spaces['large']}", Visitor(PORT)
        ids = {}

        def walk(nodes):
            for node in nodes:
                ids[node["path"]] = node["id"]
                walk(node["pages"])

        walk(self.octavo.api("GET", f"{space}/content/pages")["pages"])
        edited, others = [], []
        busy_edited = busy_others = 0
        rendered_edited = rendered_others = 0
        for number in random.sample(range(PAGES // 50, PAGES * 9 // 10), MERGES):
            path, other = texts.path(number), texts.path(number + PAGES // 20)
            visitor.page(f"/s/large/{path}"), visitor.page(f"/s/large/{other}")
            request = f"{space}/change-requests/{self.octavo.api('POST', f'{space}/change-requests', {'subject': 'Edit'})['id']}"
            change = {"operation": "update_page", "page": ids[path], "document": {"markdown": f"# Page {number}\n\nEdited.\n{texts.engines(number)}"}}
            self.octavo.api("POST", f"{request}/content", {"changes": [change]})
            self.octavo.api("POST", f"{request}/merge")
            before, begun = self.octavo.rendered("text"), self.busy()
            edited.append(visitor.page(f"/s/large/{path}").milliseconds)
            busy_edited += self.busy() - begun
            between, begun = self.octavo.rendered("text"), self.busy()
            others.append(visitor.page(f"/s/large/{other}").milliseconds)
            busy_others += self.busy() - begun
            rendered_edited += between - before
            rendered_others += self.octavo.rendered("text") - between
        for what, values, busy in (("the edited page", edited, busy_edited), ("another page", others, busy_others)):
            row("W4", f"first view after a merge in 10,000 pages, {what}", times(values, busy), "p50 <= 8, p95 <= 30", median(values) <= 8 and part(values, 0.95) <= 30)
        row("W4", f"texts rendered after {MERGES} merges", f"{rendered_edited} of edited pages, {rendered_others} of others", "none of others", rendered_others == 0)

    def headers(self):
        """W5: a header link changes, then 1,000 pages are read."""
        paths = [f"/s/large/{texts.path(number)}" for number in range(1, PAGES // 10 + 1)]
        visitor = Visitor(PORT)
        for path in paths:
            visitor.page(path)
        links = [{"title": "Status", "to": {"kind": "url", "url": "https://status.example.org/"}}]
        self.octavo.api("PUT", f"{self.large}/customization", {"header": {"links": links}})
        before, begun = (self.octavo.rendered("text"), self.octavo.rendered("page")), self.busy()
        taken = [visitor.page(path).milliseconds for path in paths]
        busy = self.busy() - begun
        texts_rendered, pages_rendered = self.octavo.rendered("text") - before[0], self.octavo.rendered("page") - before[1]
        row("W5", "1,000 pages after a change of the header", times(taken, busy), "p50 <= 2", median(taken) <= 2)
        row("W5", "rendered", f"{texts_rendered} texts, {pages_rendered} pages", "no text", texts_rendered == 0)

    def searches(self):
        """W6: searches with every letter that is typed, none of which is in the cache of responses."""
        language, numbers = texts.Language(0), iter(range(10**9))
        typed = [phrase[:end] for _ in range(400) for phrase in [" ".join(language.some(2))] for end in range(1, len(phrase) + 1)]

        def search(visitor, text):
            number = next(numbers)
            query = urlencode({"q": text, "scope": "all", "n": number})
            network = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
            return visitor.page(f"/s/variants/~/search?{query}", Accept="application/json", X_Forwarded_For=network).milliseconds

        visitor = Visitor(PORT)
        for text in typed[:20]:
            search(visitor, text)
        begun = self.busy()
        alone = [search(visitor, text) for text in typed[20:620]]
        busy_alone = self.busy() - begun
        together = []

        def type_on(texts):
            visitor = Visitor(PORT)
            for text in texts:
                time.sleep(0.15 * random.uniform(0.5, 1.5))
                together.append(search(visitor, text))

        begun = self.busy()
        threads = [threading.Thread(target=type_on, args=(typed[700 + 60 * n : 760 + 60 * n],)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for what, values, busy in (("one visitor without a pause", alone, busy_alone), ("16 visitors, a letter every 150 ms", together, self.busy() - begun)):
            row("W6", f"search in 10,000 pages in five variants, {what}", times(values, busy), "p95 <= 20", part(values, 0.95) <= 20)

    def memory(self):
        """W8: a new server, with its default of 64 MiB for caches."""
        cache = 64
        self.octavo.start("--cache-size", str(cache))
        visitor = Visitor(PORT)
        before = self.octavo.memory()
        visitor.page(f"/s/large/{texts.path(PAGES - 1)}")
        first = self.octavo.memory()
        rounds = []
        for _ in range(3):
            rendered = self.octavo.rendered("page")
            taken = [visitor.page(f"/s/large/{texts.path(number)}").milliseconds for number in range(1, PAGES // 2 + 1)]
            rounds.append((self.octavo.memory(), median(taken), self.octavo.rendered("page") - rendered))
        growth = rounds[-1][0] - before
        row("W8", f"memory that 5,000 hot pages add to {before:.0f} MiB, with a cache of {cache} MiB", f"{growth:.0f} MiB", f"<= {cache * 1.1:.1f}", growth <= cache * 1.1)
        print(f"     {first:.0f} MiB after one page; rounds: " + "; ".join(f"{size:.0f} MiB, p50 {time:.2f} ms, {count} pages rendered" for size, time, count in rounds), flush=True)


def postgres(database):
    """The process of the PostgreSQL server of a run that `tests/with-postgres` started."""
    folder = re.search(r"@%2Ftmp%2F([^/]+)", database or "")
    pid = Path("/tmp", folder[1], "data/postmaster.pid") if folder else None
    return int(pid.read_text().split()[0]) if pid and pid.exists() else None


def main():
    wanted = sys.argv[1:] or ["sqlite", "postgres"]
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if not nginx or not (MODULES / "ngx_http_brotli_static_module.so").exists():
        sys.exit("dev/bench: nginx and libnginx-mod-http-brotli-static are needed")
    program = os.path.abspath(os.environ["OCTAVO_BINARY"])
    with tempfile.TemporaryDirectory(prefix="octavo-bench-") as folder:
        # The workers of nginx have no rights of their own.
        Path(folder).chmod(0o711)
        texts.write(Path(folder, "texts"), PAGES)
        for engine in wanted:
            database, name = None, f"octavo_bench_{os.getpid()}"
            server = os.environ.get("OCTAVO_TEST_POSTGRES")
            if engine == "postgres":
                if not server:
                    print("PostgreSQL: not measured, its server programs are not here")
                    continue
                subprocess.run(["psql", "--quiet", f"{server}/postgres", "--command", f"create database {name}"], check=True)
                database = f"{server}/{name}"
            print(f"{'PostgreSQL' if database else 'SQLite'}, load average {os.getloadavg()[0]:.1f} before", flush=True)
            work = Path(folder, engine)
            work.mkdir()
            try:
                Reader(program, nginx, work, database).run()
            finally:
                if database:
                    subprocess.run(["psql", "--quiet", f"{server}/postgres", "--command", f"drop database {name} with (force)"], check=False)


if __name__ == "__main__":
    main()
