"""The dataset card of a built folder: its configs for `datasets`, and the information for readers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from dnc_datasets import perturbations, sources
from dnc_datasets.memoization import memoized
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue, index
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.checksums import Checksums
from dnc_datasets.serving.rows import COLUMNS
from dnc_datasets.serving.settings import Row
from dnc_datasets.sources import Source

# Text outside these two lines is the publisher's, and remains when the folder is rebuilt.
_BEGIN = "<!-- dnc build writes from here ... -->\n"
_END = "<!-- ... to here; what you write outside these lines stays -->\n"
FILE_NAME = "README.md"
# Examples come from the embedded corpus, so that a card never carries a third party's text.
_EXAMPLES_FROM = ("tiny", "tiny_tables")  # the first in which a problem qualifies

_INTRODUCTION = """\
# DNC: diagnosing numerical capabilities

Math word problems and other questions over numbers, each in its original form and under perturbations that
test one numerical capability at a time. Every perturbed row carries the original it was made from and the
list of checks that were recomputed for it and hold. These checks cover arithmetic (the equation gives the answer),
attachment (numbers and moved words keep what they belong to, questions ask for what is computed) and consistency
(restatements agree). They do not cover all of meaning or style.

    from datasets import load_dataset
    load_dataset("dnc", "{example}")   # in the parent of this folder; the path of the folder works too

Made by dnc-bench {version} with seed {seed}; `dnc verify FOLDER` derives every row again. `checksums.json`
holds the SHA-256 of each config's content, which depends on nothing but the version, the seed and the
source files.

Settings: **attack** perturbs the test split only; **defense** perturbs all splits in place; **augment** puts
the perturbed rows of train and validation after the clean ones and perturbs the test split. Rows that do
not qualify for a perturbation stay as they are, with `perturbed` false. **contrast** holds what several
perturbations make of each original, under ids of their own; `original_id` names the original.
"""


_LABELS = (
    "Changed rows that are answered by yes or no, over all splits, and the probability of a split as uneven by a fair "
    "coin. Then what is right, in %, without solving anything: the best cut for the threshold alone (learnt on one "
    "half of the rows, scored on the other), and the threshold against the largest number of the text."
)


class Card(NamedTuple):
    """The parts of a card: the YAML that loaders read, our section, and the publisher's prose."""

    header: str
    before: str
    section: str
    after: str

    def text(self) -> str:
        """Join the parts."""
        return f"{self.header}{self.before}{_BEGIN}{self.section}{_END}{self.after}"


def parts(text: str) -> Card:
    """Split a card into its parts. A card without our two marks is prose, except for its YAML.

    >>> parts("---\\nlicense: mit\\n---\\nMy words.\\n")
    Card(header='---\\nlicense: mit\\n---\\n', before='', section='', after='My words.\\n')
    """
    text = text.replace("\r\n", "\n")
    header, body = "", text
    if text.startswith("---\n") and (end := text.find("\n---\n", 3)) >= 0:
        header, body = text[: end + 5], text[end + 5 :]
    before, begin, rest = body.partition(_BEGIN)
    section, end_mark, after = rest.rpartition(_END)
    if not begin or not end_mark:
        return Card(header, "", "", body)
    return Card(header, before, section, after)


def text(found: Checksums, before: str = "") -> str:
    """Return the card (README.md), with the same bytes for the same content.

    The prose of the card `before` is kept.
    """
    header, section = made(found)
    kept = parts(before)
    return Card(header, kept.before, section, kept.after).text()


def made(found: Checksums) -> tuple[str, str]:
    """Return our parts of the card: its YAML and our section."""
    variants = sorted(
        map(catalogue.find, found.configs),
        key=lambda v: (v.dataset, v.fold, v.recipe != "", _rank(v.recipe), v.setting),
    )
    used = list({variant.dataset: variant.source for variant in variants}.values())
    example = next((variant for variant in variants if variant.recipe), variants[0]).name
    return _header(variants, used, found), "\n".join(
        (
            _INTRODUCTION.format(example=example, version=found.version, seed=found.seed),
            _section(
                "Coverage",
                "Rows perturbed of all rows, per split, and the size of the files.",
                "",
                *_coverage(variants, found),
            ),
            *_yes_no(variants, found),
            _section("Columns", "The same for every config.", "", *_table(("column", "content"), _columns())),
            _section("Perturbations", "Each with one pair from the embedded corpus.", *_examples(found.seed)),
            _section("Sources", *_sources(used, variants, found)),
        )
    )


def _header(variants: Sequence[Variant], used: Sequence[Source], found: Checksums) -> str:
    """Return the YAML that `datasets` reads. It has a simple form, so that its bytes never change."""
    default = next((variant for variant in variants if variant.name == _EXAMPLES_FROM[0]), variants[0])
    licences = {source.licence.lower() for source in used}
    lines = ["---", "pretty_name: DNC", "language:"]
    lines += [f"- {language}" for language in sorted({source.language for source in used})]
    # The Hub knows one licence per dataset; where sources differ, each one's is in its section.
    if licences == {"apache-2.0"}:
        lines += ["license: apache-2.0"]
    else:
        lines += ["license: other", "license_name: each-source-its-own"]
    lines += ["task_categories:", "- question-answering", "tags:", "- math-word-problems"]
    lines += ["- numerical-reasoning", "- robustness", "size_categories:"]
    lines += [f"- {_size_category(sum(record.rows for record in found.configs.values()))}", "configs:"]
    for variant in variants:
        lines += [f"- config_name: {variant.name}", "  data_files:"]
        for split in found.configs[variant.name].splits:
            lines += [f"  - split: {split}", f"    path: {variant.name}/{split}.parquet"]
        if variant == default:
            lines += ["  default: true"]
    # Without features, which are the same for every config and are in the files; with the sizes, which loaders check
    # and pass over, with a warning for each config, where one of these three is missing.
    lines += ["dataset_info:"]
    for variant in variants:
        record = found.configs[variant.name]
        lines += [f"- config_name: {variant.name}", "  splits:"]
        for split, count in record.splits.items():
            lines += [f"  - name: {split}", f"    num_bytes: {count.size}", f"    num_examples: {count.rows}"]
        lines += [f"  download_size: {record.size}"]
    return "\n".join([*lines, "---", ""])


def _size_category(rows: int) -> str:
    """Return the Hub's name for a number of rows.

    >>> [_size_category(rows) for rows in (999, 1000, 2_000_000)]
    ['n<1K', '1K<n<10K', '1M<n<10M']
    """
    steps = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((name for most, name in steps if rows < most), "1M<n<10M")


def _coverage(variants: Sequence[Variant], found: Checksums) -> list[str]:
    splits = list(dict.fromkeys(split for record in found.configs.values() for split in record.splits))
    lines = []
    for variant in variants:
        counts = found.configs[variant.name].splits
        cells = [f"{counts[s].perturbed} / {counts[s].rows}" if s in counts else "" for s in splits]
        size = f"{found.configs[variant.name].size / 1000:.0f} kB"
        lines.append((f"`{variant.name}`", variant.capability.replace("_", " "), *cells, size))
    return _table(("config", "capability", *splits, "size"), lines)


def _yes_no(variants: Sequence[Variant], found: Checksums) -> Iterator[str]:
    """Yield a section on the configs that ask for yes or no, or nothing where there are none."""
    lines = []
    for variant in variants:
        if counted := found.configs[variant.name].labels:
            guesses = [
                "" if guess.share is None else f"{100 * guess.share:.1f}"
                for guess in (counted.threshold, counted.largest)
            ]
            stated = (str(counted.yes), str(counted.no), f"{counted.p:.2g}")
            lines.append((f"`{variant.name}`", *stated, *guesses))
    if lines:
        head = ("config", "yes", "no", "p", "threshold", "largest number")
        yield _section("Yes and no", _LABELS, "", *_table(head, lines))


def _columns() -> list[tuple[str, str]]:
    return [(f"`{name}`", content) for name, content in COLUMNS.items()]


def _examples(seed: int) -> list[str]:
    lines: list[str] = []
    for name in perturbations.names():
        known = index.example(name, seed)
        lines += made_example(name, seed) if known is None else known
    return lines


@memoized  # the same for every folder
def made_example(name: str, seed: int) -> list[str]:
    """Return the lines about a perturbation with a pair, or none where it acts on other shapes."""
    shown: list[str] = []
    for dataset in _EXAMPLES_FROM:
        source = sources.get(dataset)
        (step,) = perturbations.recipe(name, source.shape)
        if catalogue.why_not(step, source):
            continue
        variant = Variant(dataset, "", name, "attack")
        about = f"{step.description} Tests: {variant.capability.replace('_', ' ')}."
        made = variant.stream("test", _test(dataset), seed=seed)
        if row := next((row for row in made if row.original is not None), None):
            return ["", f"### {step.name}", "", about, "", *_pair(row)]
        shown = ["", f"### {step.name}", "", about, "", "No problem of the embedded corpora qualifies."]
    return shown


@lru_cache(maxsize=len(_EXAMPLES_FROM))
def _test(dataset: str) -> list[Problem]:
    return catalogue.read(dataset)["test"]


def _pair(row: Row) -> list[str]:
    assert row.original is not None
    sides = (("original", row.original), ("perturbed", row.problem))
    lines = _table(("", "text", "equation", "answer"), [(side, *_cells(problem)) for side, problem in sides])
    return [*lines, "", f"Certificate: {', '.join(row.certificate)}."]


def _cells(problem: Problem) -> tuple[str, str, str]:
    return problem.text, problem.equation, f"{problem.answer} {problem.unit}".strip()


def _sources(used: Sequence[Source], variants: Sequence[Variant], found: Checksums) -> list[str]:
    lines = ["Each source keeps its own licence; cite the ones that you use."]
    for source in used:
        lines += ["", f"### {source.name}", "", f"{source.title}. Licence: {source.licence}."]
        if "BY-NC" in source.licence:
            lines += ["**Not for commercial use**; who passes it on names its authors and this licence."]
        if source.homepage:
            lines += [f"Home: <{source.homepage}>."]
        if any(found.configs[v.name].provenance != "verified" for v in variants if v.dataset == source.name):
            lines += ["**Made from a user's own copy of the files, whose checksums were not compared.**"]
        lines += [f"- `{file.repo}` at `{file.commit[:12]}`: `{file.path}`" for file in source.files]
        lines += ["", "```", source.citation.strip(), "```"]
        if source.errata:
            lines += ["", "Known defects of the published data:", ""]
            lines += _table(
                ("row", "defect", "what we do"), [(e.row, e.defect, e.action) for e in source.errata]
            )
    return lines


def _section(title: str, *lines: str) -> str:
    return "\n".join([f"## {title}", "", *lines, ""])


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    return [_line(head), _line(["---"] * len(head)), *map(_line, lines)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |"


def _rank(recipe: str) -> tuple[int, ...]:
    """Return the position of a recipe in the framework's order. Recipes for table cells follow the others."""
    order = {name: at for at, name in enumerate(perturbations.names())}
    order |= {f"{name}{perturbations.WITH_CELLS}": len(order) + at for name, at in order.items()}
    return tuple(order.get(part, len(order)) for part in recipe.split("+") if part)
