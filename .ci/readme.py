"""Does what the README's "first ten minutes" say, and compares what comes out:

    python3 .ci/readme.py target/debug/octavo

Of the `console` blocks of that section, each line that begins with `$ ` is run (a line that ends with `\\` goes on in the
next one), all in one shell, in the folder of the project. The lines after it are what it must print: `…` stands for any
text in a line, a line of `…` alone for any lines. A command that ends with `serve` runs beside the others until the end.
The server gets a free port and a folder of its own in place of those of the README.
"""
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECTION = "## The first ten minutes"
ADDRESS = "127.0.0.1:8080"
END = "==== end of command"


def commands(readme):
    """The commands of the section with the output each must have."""
    section = readme.split(SECTION + "\n", 1)[1].split("\n## ", 1)[0]
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", section, re.M | re.S):
        going_on = False
        for line in block.splitlines():
            if going_on:
                found[-1][0] += "\n" + line
            elif line.startswith("$ "):
                found.append([line[2:], []])
            else:
                found[-1][1].append(line)
                continue
            going_on = line.endswith("\\")
    return found


def pattern(lines):
    """What a command must print, as a regular expression."""
    parts = [r"(?:.*\n)*?" if line == "…" else ".*?".join(map(re.escape, line.split("…"))) + r"\n" for line in lines]
    return re.compile("".join(parts))


def check(command, expected, printed):
    if pattern(expected).fullmatch(printed):
        return True
    print(f"$ {command}\n--- the README says\n" + "\n".join(expected) + f"\n--- it prints\n{printed}")
    return False


def wait_for(url):
    for _ in range(150):
        try:
            urllib.request.urlopen(url + "/readyz", timeout=2)
            return
        except OSError:
            time.sleep(0.2)
    sys.exit(f"{url} does not answer")


def run(binary, home):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % probe.getsockname()[1]
    environment = dict(os.environ, OCTAVO_DATA_DIR=str(home / "data"), OCTAVO_LISTEN=address, OCTAVO_LOG="warn")
    environment["PATH"] = f"{binary.parent}:{environment['PATH']}"
    options = dict(cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    shell, servers, wrong = subprocess.Popen(["bash"], **options), [], 0
    found = commands((ROOT / "README.md").read_text().replace(ADDRESS, address).replace("/tmp/octavo-out", str(home / "out")))
    try:
        for command, expected in found:
            if command.endswith(" serve"):
                server = subprocess.Popen(["bash", "-c", "exec " + command], **options)
                servers.append(server)
                wait_for("http://" + address)
                printed = "".join(server.stdout.readline() for _ in expected)
            else:
                shell.stdin.write(f"{command}\necho; echo '{END}'\n")
                shell.stdin.flush()
                lines = list(iter(shell.stdout.readline, END + "\n"))
                printed = "".join(lines).removesuffix("\n")
                printed += "" if printed.endswith("\n") or not printed else "\n"
            wrong += not check(command, expected, printed)
    finally:
        for process in [shell, *servers]:
            process.terminate()
            process.wait()
    if not found:
        sys.exit("the README has no commands in its first ten minutes")
    print(f"{len(found)} commands of the README, {wrong} of them print something else")
    return 1 if wrong else 0


with tempfile.TemporaryDirectory(prefix="octavo-readme-") as home:
    sys.exit(run(Path(sys.argv[1]).resolve(), Path(home)))
