"""Does what our texts tell people to do, and compares what comes out:

    python3 .ci/readme.py target/debug/octavo README.md docs/change-requests.md docs/comments.md docs/conversations.md docs/translations.md \\
        docs/webhooks.md docs/openapi-specs.md docs/sites.md docs/site-customization.md

Of the `console` blocks of a text, each line that begins with `$ ` is run (a line that ends with `\\` goes on in the next
one), all in one shell, in the folder of the project. The lines after it are what it must print: `…` stands for any text
in a line, a line of `…` alone for any lines. A command that ends with `serve` or `demo` runs beside the others until the
end of the text; its lines are the first that it prints. Each text has a server with a free port and a folder of its own,
in place of those that it names.
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
ADDRESS = "127.0.0.1:8080"
END = "==== end of command"


def commands(text):
    """The commands of a text with the output each must have."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
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
    print(f"$ {command}\n--- the text says\n" + "\n".join(expected) + f"\n--- it prints\n{printed}")
    return False


def wait_for(url):
    for _ in range(150):
        try:
            urllib.request.urlopen(url + "/readyz", timeout=2)
            return
        except OSError:
            time.sleep(0.2)
    sys.exit(f"{url} does not answer")


def run(binary, file, home):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % probe.getsockname()[1]
    environment = dict(os.environ, OCTAVO_DATA_DIR=str(home / "data"), OCTAVO_LISTEN=address, OCTAVO_LOG="warn")
    environment["PATH"] = f"{binary.parent}:{environment['PATH']}"
    options = dict(cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    shell, servers, wrong = subprocess.Popen(["bash"], **options), [], 0
    found = commands((ROOT / file).read_text().replace(ADDRESS, address).replace("/tmp/octavo-out", str(home / "out")))
    try:
        for command, expected in found:
            if command.endswith((" serve", " demo")):
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
        sys.exit(f"{file} has no commands")
    print(f"{len(found)} commands of {file}, {wrong} of them print something else")
    return wrong


status = 0
for file in sys.argv[2:]:
    with tempfile.TemporaryDirectory(prefix="octavo-readme-") as home:
        status |= run(Path(sys.argv[1]).resolve(), file, Path(home)) > 0
sys.exit(status)
