"""What samples use of the module `requests`, for machines that lack it."""
import http.client
import json as json_module
import urllib.parse

BOUNDARY = "boundary-of-a-test"


class Response:
    def __init__(self, answer):
        self.status_code = answer.status
        self.text = answer.read().decode()

    def json(self):
        return json_module.loads(self.text)


def encode(data, json, files, headers):
    if json is not None:
        return json_module.dumps(json).encode(), "application/json"
    if files is not None:
        out = b""
        for name, part in files.items() if isinstance(files, dict) else files:
            for old, new in (('"', "%22"), ("\n", "%0A"), ("\r", "%0D")):
                name = name.replace(old, new)
            content = part[1] if isinstance(part[1], str) else part[1].read()
            content = content.encode() if isinstance(content, str) else content
            file = f'; filename="{part[0]}"' if part[0] else ""
            kind = f"\r\nContent-Type: {part[2]}" if len(part) > 2 else ""
            head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{file}{kind}\r\n\r\n'
            out += head.encode() + content + b"\r\n"
        return out + f"--{BOUNDARY}--\r\n".encode(), f"multipart/form-data; boundary={BOUNDARY}"
    if isinstance(data, (dict, list)):
        return urllib.parse.urlencode(data).encode(), "application/x-www-form-urlencoded"
    if isinstance(data, str):
        return data.encode("ascii"), None
    return (data if data is None or isinstance(data, bytes) else data.read()), None


def request(method, url, headers=None, data=None, json=None, files=None):
    parts = urllib.parse.urlsplit(url)
    target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
    body, kind = encode(data, json, files, headers)
    headers = dict(headers or {})
    if kind and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = kind
    connection = http.client.HTTPConnection(parts.netloc)
    connection.request(method, target, body, headers)
    return Response(connection.getresponse())


def function(method):
    return lambda url, **others: request(method, url, **others)


get, options, head, post, put, patch, delete = map(
    function, ["GET", "OPTIONS", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
)
