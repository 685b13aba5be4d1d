"""A Hub on localhost that speaks the endpoints a push uses: repositories, preupload, large files, commits."""

from __future__ import annotations

import base64
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_KINDS = {"datasets": "dataset", "models": "model", "spaces": "space"}


class FakeHub:
    """`trees` holds, by kind and name of a repository, path -> bytes, as the commits left them."""

    def __init__(self, refuse: int = 0) -> None:
        self.trees: dict[tuple[str, str], dict[str, bytes]] = {}
        self.objects: dict[str, bytes] = {}
        self.tokens: set[str] = set()
        self.refuse = refuse  # the status to answer with
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self._answer(hub.post)

            def do_PUT(self) -> None:
                self._answer(hub.put)

            def do_GET(self) -> None:
                self._answer(hub.get)

            def _answer(self, serve: Any) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.headers.get("Transfer-Encoding") == "chunked":
                    body = self._chunks()
                hub.tokens.add(self.headers.get("Authorization", ""))
                status, value = (hub.refuse, {"error": "no"}) if hub.refuse else serve(self.path, body)
                text = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def _chunks(self) -> bytes:
                found = b""
                while size := int(self.rfile.readline(), 16):
                    found += self.rfile.read(size)
                    self.rfile.readline()
                return found

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def get(self, path: str, _: bytes) -> tuple[int, Any]:
        if found := re.fullmatch(r"/api/(datasets|models|spaces)/([^/]+/[^/]+)(/revision/main)?", path):
            return 200, {"id": found[2], "sha": "0" * 40, "siblings": []}
        return 404, {"error": path}

    def post(self, path: str, body: bytes) -> tuple[int, Any]:
        if path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}"
            self.trees.setdefault((asked.get("type", "model"), name), {})
            return 200, {"url": f"{self.endpoint}/{name}", "id": name}
        if path == "/api/validate-yaml":
            return 200, {"errors": [], "warnings": []}
        if found := re.fullmatch(r"/api/(\w+)/([^/]+/[^/]+)/preupload/main(\?create_pr=1)?", path):
            files = json.loads(body)["files"]
            return 200, {
                "files": [
                    {
                        "path": file["path"],
                        "uploadMode": "lfs" if file["path"].endswith(".parquet") else "regular",
                        "shouldIgnore": False,
                    }
                    for file in files
                ]
            }
        if path.endswith(".git/info/lfs/objects/batch"):
            objects = [
                {
                    "oid": one["oid"],
                    "size": one["size"],
                    "actions": {"upload": {"href": f"{self.endpoint}/lfs/{one['oid']}"}},
                }
                for one in json.loads(body)["objects"]
            ]
            return 200, {"transfer": "basic", "objects": objects}
        if found := re.fullmatch(r"/api/(\w+)/([^/]+/[^/]+)/commit/main(\?create_pr=1)?", path):
            tree = self.trees[_KINDS[found[1]], found[2]]
            for line in map(json.loads, body.splitlines()):
                value = line["value"]
                if line["key"] == "file":
                    tree[value["path"]] = base64.b64decode(value["content"])
                elif line["key"] == "lfsFile":
                    tree[value["path"]] = self.objects[value["oid"]]
            return 200, {
                "commitUrl": f"{self.endpoint}/{found[2]}/commit/1",
                "commitOid": "1" * 40,
                "pullRequestUrl": f"{self.endpoint}/{found[2]}/discussions/1" if found[3] else None,
                "hookOutput": "",
            }
        return 404, {"error": path}

    def put(self, path: str, body: bytes) -> tuple[int, Any]:
        self.objects[path.rpartition("/")[2]] = body
        return 200, {}
