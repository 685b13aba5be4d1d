"""The command that recomputes the published figures finds all of them in the real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnc_metrics import reproduce


def test_graphs(mirror: Path) -> None:
    figures = list(reproduce.graph_figures(mirror))
    assert [figure for figure in figures if not figure.as_known] == []
    published = {figure.name: figure for figure in figures if figure.origin == reproduce.PUBLISHED}
    assert {name: (one.expected, one.measured) for name, one in published.items()} == {
        "GEM, set of edges": ("59.32", "76.11"), "GEM, list of edges": ("59.32", "59.35"),
    }  # fmt: skip
    assert all("not as published" in figure.mark for figure in published.values())


def test_corpus(mirror: Path) -> None:
    figures = list(reproduce.corpus_figures(mirror))
    assert [figure for figure in figures if not figure.as_known] == []
    assert [figure.name.split(",")[0] for figure in figures if not figure.same] == ["MAWPS", "MAWPS"]
    shares = [figure.measured for figure in figures if "majority" in figure.name]
    assert shares == ["11.7", "21.2", "17.7"]


def test_a_line_says_whose_figure_it_is() -> None:
    figure = reproduce.Figure("a", "1", "1", reproduce.BEFORE)
    assert figure.mark == "same as ours before"
    assert figure._replace(measured="2").mark == "DIFFERS"
    assert not figure._replace(differs="it does").as_known, "what agrees again must be told too"


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert reproduce.main(["--only", "tables"]) == 0
    said = capsys.readouterr().out
    assert said.count("148      148  same as published") == 2
    assert said.count("not as published: ") == 6
    assert "29.37  not as published: it is Graph2Tree's numerical mean" in said
    assert reproduce.main(["--only", "corpus", "--mirror", str(tmp_path)]) == 2
    assert "--mirror names the folder" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        reproduce.main([])
