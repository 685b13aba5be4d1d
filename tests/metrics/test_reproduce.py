"""The command that recomputes the published figures finds all of them in the real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnc_metrics import reproduce


def test_graphs(mirror: Path) -> None:
    figures = {figure.name: figure for figure in reproduce.graph_figures(mirror)}
    assert [name for name, figure in figures.items() if not figure.same] == []
    assert figures["GEM, set of edges"].measured == "76.11"
    assert figures["GEM, list of edges"].measured == "59.35"


def test_corpus(mirror: Path) -> None:
    figures = list(reproduce.corpus_figures(mirror))
    assert [figure for figure in figures if not figure.same] == []
    shares = [figure.measured for figure in figures if "majority" in figure.name]
    assert shares == ["11.7", "21.2", "17.7"]


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert reproduce.main(["--only", "tables"]) == 0
    assert capsys.readouterr().out.count("148      148  same") == 2
    assert reproduce.main(["--only", "corpus", "--mirror", str(tmp_path)]) == 2
    assert "--mirror names the folder" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        reproduce.main([])
