"""Requests saved by `dnc eval --until-decided`: real runs against a scripted server on this machine.

    python benchmarks/until_decided.py          # a perfect model, and drops of 10 and 20 points

The server answers every original of `tiny` correctly, and a perturbed row wrongly with the probability of the
drop. Each model is asked three times: all rows, four looks, and looks at any time. The script counts the
requests of the server.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import tempfile
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from dnc_datasets import cli
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import plausible_form
from dnc_datasets.serving import catalogue
from dnc_harness import data, prompts
from dnc_harness.listing import HarnessTask
from dnc_metrics import record
from dnc_metrics.capabilities import CONFIRMATORY

RECIPES = [plausible_form(name) for names in CONFIRMATORY.values() for name in names]
VARIANTS = [catalogue.find(name) for name in ("tiny", *(f"tiny-{recipe}-attack" for recipe in RECIPES))]
PLANS = {
    "all rows": (),
    "four looks": ("--until-decided",),
    "any time": ("--until-decided", "--look-any-time"),
}


def replies(drop: float) -> dict[str, str]:
    """Return the reply to every prompt: correct, except for a share of the perturbed rows."""
    by_prompt = {}
    for variant in VARIANTS:
        for row in data.test_records(variant, data.folder(None)):
            doc = data.doc(data.of_source(variant), row)
            lost = row["perturbed"] and Draw(0, variant.name, str(row["id"]), "drop").word() < drop * 2**64
            by_prompt.setdefault(prompts.direct(doc).strip(), "unknown" if lost else str(row["answer"]))
    return by_prompt


class Server(ThreadingHTTPServer):
    """An OpenAI-style server that replies from a table and counts the requests."""

    daemon_threads = True

    def __init__(self, table: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.table, self.requests = table, 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests += 1
        text = self.server.table[sent["messages"][-1]["content"].strip()]
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        body = json.dumps({"choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextlib.contextmanager
def running(drop: float) -> Iterator[Server]:
    """Run a server in a separate thread."""
    server = Server(replies(drop))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def requests(server: Server, plan: str, out: Path) -> tuple[int, str]:
    """Run `dnc eval` and return the number of requests and the verdicts."""
    tasks = ",".join(HarnessTask(variant).name for variant in VARIANTS)
    before = server.requests
    model = f"api:http://127.0.0.1:{server.server_port}/v1#scripted"
    words = ["eval", "--model", model, "--model-args", "num_concurrent=8"]
    words += ["--tasks", tasks, "--out", str(out), *PLANS[plan]]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if cli.main(words):
            raise SystemExit(f"dnc {' '.join(words)} failed")
    (table,) = record.load(out).tables
    lines = [line for line in table.lines if line.is_capability]
    return server.requests - before, ", ".join(f"{line.verdict} ({line.clusters})" for line in lines)


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--drops", type=int, nargs="+", default=[0, 10, 20], help="simulate these drops, in points"
    )
    arguments = parser.parse_args()
    print("| true drop | plan | requests | saved in % | verdicts (templates of each capability) |")
    print("|---|---|---|---|---|", flush=True)
    for drop in arguments.drops:
        with running(drop / 100) as server, tempfile.TemporaryDirectory() as folder:
            complete = 0
            for plan in PLANS:
                count, verdicts = requests(server, plan, Path(folder) / plan.replace(" ", "_"))
                complete = complete or count
                saved = 100 * (1 - count / complete)
                print(f"| {drop} | {plan} | {count:,} | {saved:.0f} | {verdicts} |", flush=True)


if __name__ == "__main__":
    main()
