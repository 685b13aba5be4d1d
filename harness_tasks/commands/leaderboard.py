"""`dnc leaderboard`: the leaderboard over a folder of results, in the browser; or a submission checked."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=("serve", "check"), help="serve a folder of results, or check a submission"
    )
    parser.add_argument("results", type=Path, help="the folder of results, or the folder of the submission")
    parser.add_argument(
        "--data", type=Path, help="the folder that `dnc build` wrote (default $DNC_DATA or ./dnc)"
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to serve on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=7860, help="the port to serve on (default 7860)")


def run(arguments: argparse.Namespace) -> int:
    from dnc_datasets.errors import DncError
    from dnc_harness import data, submission
    from dnc_leaderboard import record

    if not arguments.results.is_dir():
        raise DncError(f"there is no folder {arguments.results}")
    if arguments.action == "check":
        files = [arguments.results / record.FILE_NAME, arguments.results / submission.ROWS]
        found, _ = submission.check([file for file in files if file.is_file()], data.folder(arguments.data))
        print(f"{found.system.name}: {len(found.cells)} configs, every score as the replies give it")
        return 0
    try:
        from dnc_harness import leaderboard
        from dnc_leaderboard.app import launch

        made = leaderboard.local(arguments.results, arguments.data)
    except ImportError as error:
        raise DncError('the leaderboard needs Gradio: `pip install "dnc-bench[leaderboard]"`') from error
    launch(made, server_name=arguments.host, server_port=arguments.port)
    return 0
