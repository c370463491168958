"""A proxy before an S3 server that makes trouble: faults.py PORT_FILE COUNT_FILE SERVER_PORT SEED PERCENT

PERCENT of the requests each meet: an error 503; an error 500 after the request went through; an answer that is lost
after the request went through; a pause. Lists are stale as often: the answer of an earlier list of the same names.
Each request leaves a line in COUNT_FILE."""

import http.client
import http.server
import random
import sys
import threading
import time

port_file, count_file, server, seed, percent = sys.argv[1:6]
lock = threading.Lock()
dice = random.Random(int(seed))
lists = {}
counted = open(count_file, "a", buffering=1)


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        with lock:
            throws = [dice.random() * 100 < float(percent) for _ in range(5)]
            counted.write(f"{self.command} {self.path}\n")
        refused, failed, lost, slow, stale = throws
        if slow:
            time.sleep(0.3)
        if refused:
            return self.answer(503, {}, b"<Error><Code>SlowDown</Code></Error>")
        is_list = self.command == "GET" and "list-type=2" in self.path
        if is_list and stale and self.path in lists:
            return self.answer(*lists[self.path])
        there = http.client.HTTPConnection("127.0.0.1", int(server), timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        there.request(self.command, self.path, body, headers)
        got = there.getresponse()
        found = got.status, dict(got.getheaders()), got.read()
        there.close()
        if is_list and got.status == 200:
            lists[self.path] = found
        if lost:
            self.close_connection = True
            self.connection.close()
            return None
        if failed:
            return self.answer(500, {}, b"<Error><Code>InternalError</Code></Error>")
        return self.answer(*found)

    def answer(self, status, headers, body):
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        length = headers.get("Content-Length") if self.command == "HEAD" else None
        self.send_header("Content-Length", length or str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = forward

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Connections that we cut ourselves."""


proxy = Server(("127.0.0.1", 0), Proxy)
with open(port_file + ".new", "w") as file:
    file.write(str(proxy.server_port))
import os

os.rename(port_file + ".new", port_file)
proxy.serve_forever()
