"""Load of a public leaderboard with many systems and concurrent clients.

    python benchmarks/board_load.py --systems 300 --clients 20 --seconds 60

Serves a folder of copies of one scripted record. Clients ask for tables, comparisons and reports through the
app's own endpoints. Prints one line of JSON: calls, calls per second, latencies, errors, peak memory of the
server.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from dnc_leaderboard import serving
from dnc_leaderboard.app import ALL, launch
from dnc_leaderboard.ranking import SORTS
from dnc_metrics import record


def main() -> None:
    """Fill a folder, serve it, run the clients, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--record", type=Path, required=True, help="copy this record, a folder that `dnc score --out` wrote"
    )
    parser.add_argument("--systems", type=int, default=300)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), arguments.record, arguments.systems)
        start = time.monotonic()
        board = serving.local(Path(folder))
        reading = time.monotonic() - start
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        launch(board, server_name="127.0.0.1", server_port=port, prevent_thread_lock=True, quiet=True)
        figures = ask(f"http://127.0.0.1:{port}", arguments.clients, arguments.systems, arguments.seconds)
        board.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        json.dumps(
            {
                "systems": arguments.systems,
                "read_seconds": round(reading, 1),
                **figures,
                "peak_mb": round(memory),
            }
        )
    )


def fill(folder: Path, given: Path, systems: int) -> None:
    """Write the record under `systems` names."""
    found = record.load(given)
    outcomes = record.outcomes(given, found)
    for at in range(systems):
        named = replace(found, system=replace(found.system, name=f"system {at}"))
        record.write(named, outcomes, folder / f"system-{at}")


def ask(address: str, clients: int, systems: int, seconds: float) -> dict[str, Any]:
    """Let clients send requests until the time is over; return latencies and errors."""
    latencies: list[float] = []
    errors: list[str] = []
    end = time.monotonic() + seconds
    threads = [
        threading.Thread(target=_client, args=(address, at, systems, end, latencies, errors))
        for at in range(clients)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    ordered = sorted(latencies) or [0.0]
    return {
        "clients": clients, "calls": len(latencies), "errors": len(errors), "first_error": (errors or [""])[0][:200],
        "per_second": round(len(latencies) / seconds, 1), "median_ms": round(1000 * statistics.median(ordered)),
        "p99_ms": round(1000 * ordered[int(0.99 * (len(ordered) - 1))]),
    }  # fmt: skip


def _client(
    address: str, seed: int, systems: int, end: float, latencies: list[float], errors: list[str]
) -> None:
    from gradio_client import Client

    drawn = random.Random(seed)
    client: Any = None

    def name() -> str:
        at = drawn.randrange(systems)
        return f"system {at} (system-{at})"

    calls: list[Callable[[], Any]] = [
        lambda: client.predict(ALL, ALL, ALL, ALL, ALL, drawn.choice(SORTS), api_name="/table"),
        lambda: client.predict(name(), name(), api_name="/compared"),
        lambda: client.predict(name(), api_name="/report"),
    ]
    while time.monotonic() < end:
        start = time.monotonic()
        try:
            client = client or Client(address, verbose=False)
            drawn.choice(calls)()
            latencies.append(time.monotonic() - start)
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
