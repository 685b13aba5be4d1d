"""`dnc leaderboard`: serve the leaderboard over a folder of results, or check a submission."""

from __future__ import annotations

import argparse
from pathlib import Path

from dnc_datasets.commands import add_built


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=("serve", "check"), help="serve a folder of results, or check a submission"
    )
    parser.add_argument("results", type=Path, help="name the folder of results or of the submission")
    add_built(parser)
    parser.add_argument("--host", default="127.0.0.1", help="serve on this address (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=7860, help="serve on this port (default 7860)")


def run(arguments: argparse.Namespace) -> int:
    from dnc_datasets import extras
    from dnc_datasets.errors import DncError
    from dnc_harness import data, submission
    from dnc_metrics import record

    if not arguments.results.is_dir():
        raise DncError(f"there is no folder {arguments.results}")
    if arguments.action == "check":
        files = [arguments.results / record.FILE_NAME, arguments.results / submission.ROWS]
        found, _ = submission.check([file for file in files if file.is_file()], data.folder(arguments.built))
        print(f"{found.system.name}: {len(found.cells)} configs, every score as the replies give it")
        return 0
    try:
        from dnc_leaderboard import serving
        from dnc_leaderboard.app import launch

        app = serving.local(arguments.results, arguments.built)
    except ImportError as error:
        raise DncError(f"the leaderboard needs Gradio: {extras.command('leaderboard')}") from error
    try:
        launch(app, server_name=arguments.host, server_port=arguments.port)
    except OSError as error:
        raise DncError(
            f"port {arguments.port} of {arguments.host} cannot be used; give a free one with --port"
        ) from error
    return 0
