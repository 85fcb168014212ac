"""Folders of Markdown to measure with, the same in each run."""
import random
from pathlib import Path

SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi wo za bren cal dor fin gast hel jor kam lin mor pel quer stal tun".split()


def path(number):
    """The path of a page in a folder of pages: a hundred are in a part, and the first one is that of the part."""
    part, page = divmod(number, 100)
    return f"part-{part}/page-{page}" if page else f"part-{part}"


def pages(root, count, text):
    """Writes `count` pages and their table of contents. `text` makes the sections of a page from its number."""
    lines = ["# Table of contents", ""]
    for number in range(count):
        page = number % 100
        file = root / (f"{path(number)}.md" if page else f"{path(number)}/README.md")
        lines.append(f"{'  ' if page else ''}* [Page {number}]({file.relative_to(root)})")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# Page {number}\n\nSee [the first page](../part-0/README.md).\n{text(number)}")
    (root / "SUMMARY.md").write_text("\n".join(lines) + "\n")


def engines(number):
    """4 KB in eight sections."""
    text = ""
    for section in range(8):
        text += f"\n## Section {section} of page {number}\n\n"
        text += f"The engine number {number * 8 + section} weaves patterns of **algebra** just as the loom weaves flowers. " * 5
        text += "\n\n* one point\n* another point\n"
    return text


class Language:
    """Words of which few are frequent and most are rare, as in any language."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        words = set()
        while len(words) < 6_000:
            words.add("".join(self.random.choices(SYLLABLES, k=self.random.choice([2, 2, 3, 3, 4]))))
        self.words = sorted(words)
        self.random.shuffle(self.words)
        sums, total = [], 0.0
        for rank in range(len(self.words)):
            total += 1 / (rank + 1)
            sums.append(total)
        self.sums = sums

    def some(self, count):
        return self.random.choices(self.words, cum_weights=self.sums, k=count)

    def text(self, _number):
        """3 KB in eight sections."""
        return "".join(f"\n## {' '.join(self.some(3)).capitalize()}\n\n{' '.join(self.some(50)).capitalize()}.\n" for _ in range(8))


def write(root: Path, count):
    """All folders of a run: a large space of `count` pages, and five variants with as many together."""
    pages(root / "small", 200, engines)
    pages(root / "large", count, engines)
    for variant in range(5):
        pages(root / f"variant-{variant}", count // 5, Language(variant).text)
