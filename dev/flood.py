#!/usr/bin/env python3
"""Sends edits of a megabyte of Markdown to a server, 64 at once, until it is stopped:

    dev/flood.py http://127.0.0.1:8080 TOKEN SPACE

Half of them are ordinary text and half are tags that never end. It prints how many of them were answered, and how, every
second. For measuring what one caller costs the others; loopback only.
"""
import http.client
import json
import sys
import threading
import time
import urllib.parse
from collections import Counter

base, token, space = sys.argv[1:]
host = urllib.parse.urlsplit(base).netloc
if not host.startswith(("127.", "localhost", "[::1]")):
    sys.exit("dev/flood.py sends to this machine only")
headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
TEXTS = ["Some *words* and a [link](./page.md) in a paragraph of a page.\n\n" * 16_000, "{% hint %}\n" * 95_000]
answers = Counter()


def send(path, body):
    connection = http.client.HTTPConnection(host, timeout=120)
    connection.request("POST", f"/v1{path}", body, headers)
    response = connection.getresponse()
    return response.status, response.read()


status, made = send(f"/spaces/{space}/change-requests", json.dumps({"subject": "Large"}))
assert status == 201, made
request = f"/spaces/{space}/change-requests/{json.loads(made)['id']}/content"
change = {"operation": "insert_page", "title": "Large"}
bodies = [json.dumps({"changes": [{**change, "document": {"markdown": text}}]}) for text in TEXTS]


def edit(number):
    while True:
        try:
            status, _ = send(request, bodies[number % len(bodies)])
        except OSError as error:
            status = type(error).__name__
        answers[status] += 1
        if status == 503:
            time.sleep(1)


for number in range(64):
    threading.Thread(target=edit, args=(number,), daemon=True).start()
time.sleep(2)
print("64 edits are under way", flush=True)
while True:
    time.sleep(1)
    print("answers to edits:", dict(answers), flush=True)
