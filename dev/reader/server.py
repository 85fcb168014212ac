"""The servers of a run: Octavo with its API, and nginx."""
import http.client
import json
import os
import re
import subprocess
import time
import urllib.request
from pathlib import Path

TOKEN = "bench-token-0123456789-abcdef"
MODULES = Path("/usr/lib/nginx/modules")
NGINX = """
load_module {modules}/ngx_http_brotli_static_module.so;
worker_processes 2;
pid {work}/nginx.pid;
error_log {work}/nginx.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    default_type text/html;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 100000000;
    open_file_cache max=1000;
    client_body_temp_path {work}/nginx-body;
    proxy_temp_path {work}/nginx-proxy;
    fastcgi_temp_path {work}/nginx-fastcgi;
    uwsgi_temp_path {work}/nginx-uwsgi;
    scgi_temp_path {work}/nginx-scgi;
    server {{
        listen 127.0.0.1:{port} reuseport;
        root {work}/www;
        brotli_static on;
        gzip_static on;
        add_header Cache-Control "public, no-cache";
        add_header Vary "Accept, Accept-Encoding";
    }}
}}
"""


class Answer:
    def __init__(self, response, body, seconds):
        self.status, self.headers, self.body, self.milliseconds = response.status, response.headers, body, seconds * 1000


class Visitor:
    """A visitor on a connection of its own, who measures the time to the last byte of each response."""

    def __init__(self, port, **headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Accept-Encoding": "br", "Host": "127.0.0.1"} | {name.replace("_", "-"): value for name, value in headers.items()}

    def get(self, path, **headers):
        headers = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        begun = time.perf_counter()
        self.connection.request("GET", path, headers=headers)
        response = self.connection.getresponse()
        body = response.read()
        return Answer(response, body, time.perf_counter() - begun)

    def page(self, path, **headers):
        answer = self.get(path, **headers)
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status}")
        return answer


class Octavo:
    """A server with an organization, and what its administrator does."""

    def __init__(self, program, work, port, database):
        self.program, self.work, self.port = program, work, port
        self.base = f"http://127.0.0.1:{port}"
        self.process = None
        self.environment = os.environ | {
            "OCTAVO_DATA_DIR": str(work / "data"), "OCTAVO_LISTEN": f"127.0.0.1:{port}", "OCTAVO_METRICS_LISTEN": f"127.0.0.1:{port + 2}",
            "OCTAVO_LOG": "error", "OCTAVO_RATE_LIMIT": "0", "OCTAVO_AUTH_FAILURE_LIMIT": "0", "OCTAVO_ADMIN_TOKEN": TOKEN,
            # Searches are limited by network: so one machine can search as many.
            "OCTAVO_TRUSTED_PROXIES": "127.0.0.1",
        } | ({"DATABASE_URL": database} if database else {})

    def start(self, *arguments):
        with open(self.work / "octavo.log", "ab") as log:
            self.process = subprocess.Popen([self.program, "serve", *arguments], env=self.environment, stdout=log, stderr=log)
        for _ in range(600):
            try:
                Visitor(self.port).page("/healthz")
                break
            except (OSError, http.client.HTTPException):
                if self.process.poll() is not None:
                    raise RuntimeError((self.work / "octavo.log").read_text())
                time.sleep(0.05)
        self.org = f"/orgs/{self.api('GET', '/orgs')['items'][0]['id']}"

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(30)
            self.process = None

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"octavo {' '.join(arguments)}: {done.stdout}{done.stderr}")

    def api(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{self.base}/v1{path}", data, headers, method=method)) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from None
        return json.loads(text) if text else None

    def space(self, folder):
        """Imports a folder, and returns the id of its space."""
        self.run("import", str(folder), "--title", folder.name)
        return next(space["id"] for space in self.api("GET", f"{self.org}/spaces?limit=100")["items"] if space["title"] == folder.name)

    def site(self, title, spaces, **fields):
        """Publishes spaces, and returns the API path of their site."""
        site = f"{self.org}/sites/{self.api('POST', f'{self.org}/sites', {'title': title, 'spaces': spaces})['id']}"
        if fields:
            self.api("PATCH", site, fields)
        self.api("POST", f"{site}/publish")
        return site

    def rendered(self, what):
        """How many texts or pages were rendered since the start."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port + 2}/metrics") as response:
            found = re.search(rf'^octavo_site_rendered_total\{{what="{what}"\}} (\d+)$', response.read().decode(), re.MULTILINE)
        return int(found[1]) if found else 0

    def busy(self, others=()):
        """Milliseconds of processor time of the server and of other processes, until now."""
        nanoseconds = 0
        for process in (self.process.pid, *others):
            for task in Path(f"/proc/{process}/task").glob("*/schedstat"):
                try:
                    nanoseconds += int(task.read_text().split()[0])
                except OSError:
                    pass  # The thread has ended.
        return nanoseconds / 1e6

    def memory(self):
        """MiB of resident memory."""
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())[1]) / 1024


class Nginx:
    """Serves files that were compressed before."""

    def __init__(self, program, work, port):
        self.program, self.work, self.port = program, work, port
        self.base = f"http://127.0.0.1:{port}"
        self.root = work / "www"
        self.root.mkdir()
        self.pid = None

    def add(self, path, html, brotli=None, gzip=None):
        """Adds a file. What is not given is compressed with the highest level."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(html)
        script = """const [file] = process.argv.slice(1); const zlib = require("zlib"); const fs = require("fs"); const html = fs.readFileSync(file);
            fs.writeFileSync(`${file}.br`, zlib.brotliCompressSync(html)); fs.writeFileSync(`${file}.gz`, zlib.gzipSync(html, { level: 9 }));"""
        if brotli is None or gzip is None:
            subprocess.run(["node", "-e", script, str(file)], check=True)
        for end, given in (("br", brotli), ("gz", gzip)):
            if given is not None:
                Path(f"{file}.{end}").write_bytes(given)

    def start(self):
        self.work.chmod(0o711)
        subprocess.run(["chmod", "-R", "a+rX", str(self.root)], check=True)
        config = self.work / "nginx.conf"
        config.write_text(NGINX.format(modules=MODULES, work=self.work, port=self.port))
        subprocess.run([self.program, "-c", str(config)], check=True, stderr=subprocess.DEVNULL)
        pid = self.work / "nginx.pid"
        for _ in range(100):
            if pid.exists() and pid.read_text().strip():
                self.pid = int(pid.read_text())
                return
            time.sleep(0.05)
        raise RuntimeError((self.work / "nginx.log").read_text())

    def stop(self):
        if self.pid:
            os.kill(self.pid, 15)
            self.pid = None
