"""Runs a language model over DNC tasks with lm-eval, resumably, and diagnoses it."""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from dnc_datasets import extras, filesystem, model_arguments, model_names, owned_folder, secrets, untrusted
from dnc_datasets.errors import UnknownNameError
from dnc_datasets.owned_folder import OwnedFolder
from dnc_datasets.version import __version__
from dnc_harness import data, listing, prompts, recording, tasks_path
from dnc_harness.answer_log import AnswerLog
from dnc_harness.errors import HarnessError
from dnc_harness.listing import HarnessTask
from dnc_harness.recording import Reply
from dnc_harness.row_sets import RowSet
from dnc_harness.server_replies import fault_of
from dnc_harness.task_files import FEW_SHOT_STOPS, REASONING_TOKENS
from dnc_metrics import record, record_builder
from dnc_metrics.record import Provenance, Record, System
from dnc_metrics.verdicts import MARGIN

# Of models that are asked several times, unless --gen-kwargs says another.
SAMPLING_TEMPERATURE = 0.7
RESULTS, LOG, RUN = "lm_eval.json", "answers.jsonl", "run.json"
_COMMAND = "dnc eval"
_OTHER_FOLDER = "choose another folder (--out of `dnc eval`, --results of `dnc diagnose`)"
_OF_TRAIN = ("torch", "transformers", "accelerate")  # packages of the extra `train`
_MAX_PROMPT = 8_000  # characters of a request in the record
_NAMES = (RUN, LOG, RESULTS, record.FILE_NAME, "record.rows.jsonl", "severity.svg")


@dataclass(frozen=True)
class Settings:
    """What to run: an lm-eval backend with its arguments, on which tasks and rows, into which folder."""

    model: str
    tasks: tuple[str, ...]
    out: Path
    model_args: Mapping[str, Any] = field(default_factory=dict)
    data: Path | None = None
    limit: int | None = None
    num_fewshot: int | None = None
    chat_template: bool | str = False
    system_instruction: str | None = None
    gen_kwargs: Mapping[str, Any] = field(default_factory=dict)
    reasoning: bool = False  # the model thinks before it replies, and needs room for it
    batch_size: str | None = None
    device: str | None = None
    skip_missing: bool = False
    margin: float = MARGIN  # what a verdict of "no drop" rules out
    repeats: int = 1  # how often a model that samples is asked for every row
    # capability -> templates to ask, under "" for the originals; for `until_decided`.
    templates: Mapping[str, int] | None = None

    def generation(self) -> dict[str, Any]:
        """How text is generated, where it differs from the task files: what is given, and what follows."""
        given: dict[str, Any] = {}
        if self.num_fewshot:
            given["until"] = list(FEW_SHOT_STOPS)
        if self.reasoning:
            given["max_gen_toks"] = REASONING_TOKENS
        if self.repeats > 1:
            given |= {"do_sample": True, "temperature": SAMPLING_TEMPERATURE}
        return {**given, **self.gen_kwargs}

    def recorded(self) -> dict[str, Any]:
        """For results: without secrets, and without where things lie on this machine."""
        shown = {key: value for key, value in asdict(self).items() if key not in ("out", "data", "model")}
        shown["model_args"] = model_arguments.arguments(self.model_args)
        shown["gen_kwargs"] = model_arguments.arguments(self.gen_kwargs)
        return {**shown, "tasks": list(self.tasks)}


def may_write(folder: Path) -> None:
    """Raise an error where the folder holds files of these names that no evaluation has written."""
    owned_folder.check(folder, _COMMAND, _NAMES, _adopts)


def opened(folder: Path) -> OwnedFolder:
    """Return the folder of an evaluation, to be written by this process alone."""
    return OwnedFolder(folder, _COMMAND, names=_NAMES, adopts=_adopts)


def _adopts(folder: Path) -> tuple[str, ...]:
    """Name the files of an evaluation that a version without marks wrote: its `run.json` says so."""
    try:
        with filesystem.open_regular(folder / RUN) as file:
            return _NAMES if b'"dnc_version"' in file.read(200) else ()
    except OSError:
        return ()


def run(settings: Settings, sets: Sequence[RowSet] = ()) -> Record:
    """Evaluate, write `lm_eval.json`, `record.json` and its outcomes to the folder, and return the record.

    `sets` are rows to ask beside those of the tasks (see `row_sets`).

    Replies are logged as they come. Started again with the same settings after it was killed, it asks the
    model only for what is missing. While it runs, nobody else may write to the folder.
    """
    may_write(settings.out)
    if settings.repeats < 1:
        raise HarnessError(f"--repeats {settings.repeats}: ask every row at least once")
    if settings.repeats > 1 and float(settings.generation().get("temperature") or 0) <= 0:
        raise HarnessError(
            "--repeats asks a model that samples; give --gen-kwargs temperature=0.7 or the like"
        )
    tasks = chosen(settings) if settings.tasks or not sets else {}
    secret = {**settings.gen_kwargs, **settings.model_args}
    try:
        with secrets.guard(secret), opened(settings.out) as folder:
            return _run(settings, tasks, sets, folder)
    except HarnessError as error:
        raise type(error)(secrets.hide(str(error), secret)) from None


def _run(
    settings: Settings,
    tasks: Mapping[str, Sequence[HarnessTask]],
    sets: Sequence[RowSet],
    folder: OwnedFolder,
) -> Record:
    _check_same_model(settings, folder)
    folder.claim(LOG)
    log = AnswerLog(settings.out / LOG)
    try:
        results = _evaluate(settings, tasks, log, sets)
    finally:
        log.close()
    from lm_eval.utils import handle_non_serializable

    samples = results.pop("samples")
    text = json.dumps(results, indent=2, default=handle_non_serializable, ensure_ascii=False)
    folder.write_text(RESULTS, text + "\n")
    asked = _asked(samples, settings, log.cut_off, sets)
    made = _provenance(settings)
    made = replace(made, settings={**made.settings, "prompts": _prompts(samples, sets)})
    found, outcomes = record_builder.make(_system(settings), made, asked, settings.margin)
    return record.write(found, outcomes, folder)


def _asked(
    samples: Mapping[str, Sequence[Mapping[str, Any]]],
    settings: Settings,
    cut_off: Container[tuple[str, str, str]],
    sets: Sequence[RowSet],
) -> list[record_builder.Asked]:
    """The replies of each task, as lm-eval logged them, scored."""
    known = {task.name: task for task in listing.tasks()}
    made = {one.name: one for one in sets}
    built = data.folder(settings.data)
    found = []
    for name, rows in samples.items():
        given = {
            str(row["doc"]["id"]): [
                Reply(text or "", (name, str(row["doc"]["id"]), text) in cut_off, fault_of(text))
                for text in row["resps"][0]
            ]
            for row in rows
        }
        if name in made:
            found.append(made[name].asked(given))
        else:
            found.append(recording.asked(known[name].variant, known[name].prompt, given, built))
    return found


def _prompts(samples: Mapping[str, Sequence[Mapping[str, Any]]], sets: Sequence[RowSet]) -> dict[str, str]:
    """The first request of each prompt as the model got it, with {problem} in place of the row."""
    names = {task.name: task.prompt for task in listing.tasks()} | {one.name: one.prompt for one in sets}
    found: dict[str, str] = {}
    for task, rows in samples.items():
        if rows and names[task] not in found:
            sent = rows[0]["arguments"][0][0]
            found[names[task]] = _template(str(getattr(sent, "prompt", sent)), rows[0]["doc"])
    return found


def _template(sent: str, doc: Mapping[str, Any]) -> str:
    """A request with {problem} in place of the row; messages of a conversation are JSON."""
    shown = prompts.layout(dict(doc))
    for row in (shown, json.dumps(shown)[1:-1], json.dumps(shown, ensure_ascii=False)[1:-1]):
        before, _, after = sent.rpartition(row)
        if len(before) + len(after) < len(sent):
            return f"{before}{{problem}}{after}"[:_MAX_PROMPT]
    return sent[:_MAX_PROMPT]


def _system(settings: Settings) -> System:
    arguments = model_arguments.arguments(settings.model_args)
    name = str(arguments.get("pretrained") or arguments.get("model") or settings.model)
    # Not where a model lies on this machine, but what it is called.
    if name.startswith("solver:"):
        name = Path(name.partition(":")[2]).name
    name = Path(name).name if name.startswith((".", "/", "~")) else name
    model = {"backend": settings.model, "arguments": arguments}
    return System(name, "language model", model, revision=str(arguments.get("revision", "")))


def _provenance(settings: Settings) -> Provenance:
    from importlib.metadata import PackageNotFoundError, version

    versions = {}
    for name in ("lm-eval", "transformers", "torch", "datasets"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return Provenance(
        _COMMAND, __version__, settings=settings.recorded(), libraries=versions, date=record.today()
    )


def chosen(settings: Settings) -> dict[str, list[HarnessTask]]:
    """The tasks, groups and tags to run, each with its tasks; an unknown name or missing data is an error."""
    if not settings.tasks:
        raise HarnessError("name at least one task or group; `dnc tasks --groups` lists them")
    tasks = {task.name: task for task in listing.tasks()}
    members = dict(listing.groups())
    for task in filter(lambda task: task.tag, tasks.values()):
        members.setdefault(task.tag, []).append(task.name)

    def leaves(name: str) -> list[HarnessTask]:
        return (
            [tasks[name]] if name in tasks else [leaf for member in members[name] for leaf in leaves(member)]
        )

    for name in settings.tasks:
        if name not in tasks and name not in members:
            raise UnknownNameError("task", name, [*tasks, *members])
    wanted = {name: leaves(name) for name in settings.tasks}
    every = [task for some in wanted.values() for task in some]
    built = data.folder(settings.data)
    here = [task for task in every if data.is_here(task.variant, built)]
    # lm-eval refuses a task that two groups share, so such groups are run as the tasks that they hold.
    if len(here) == len(every) == len(set(every)):
        return wanted
    if not settings.skip_missing:
        data.require([task.variant for task in every], built)
    if not here:
        raise HarnessError(
            f"no dataset of {', '.join(settings.tasks)} is in {built}; `dnc build` writes them"
        )
    return {task.name: [task] for task in here}


def _check_same_model(settings: Settings, folder: OwnedFolder) -> None:
    """A folder holds the answers of one model."""
    arguments = model_arguments.arguments(dict(sorted(settings.model_args.items())))
    now = {"model": settings.model, "model_args": {name: str(value) for name, value in arguments.items()}}
    path = settings.out / RUN
    if not path.exists():
        folder.write_text(RUN, json.dumps({"dnc_version": __version__, **now}, indent=1) + "\n")
        return
    before = untrusted.read_json(path, error=HarnessError, remedy=_OTHER_FOLDER, exact=True)
    if not isinstance(before, dict):
        raise HarnessError(f"{path} does not name a model; {_OTHER_FOLDER}")
    if {name: before.get(name) for name in now} != now:
        raise HarnessError(
            f"{settings.out} holds the answers of another model ({_difference(before, now)}); {_OTHER_FOLDER}"
        )


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """State in which arguments two models differ.

    >>> _difference({"model": "hf", "model_args": {"pretrained": "a"}}, {"model": "hf", "model_args": {"dtype": "b"}})
    'pretrained was a and is now not set, dtype was not set and is now b'
    """
    given = [one.get("model_args") for one in (before, now)]
    old, new = (
        {"backend": one.get("model"), **(some if isinstance(some, dict) else {})}
        for one, some in zip((before, now), given, strict=True)
    )
    return ", ".join(
        f"{name} was {old.get(name, 'not set')} and is now {new.get(name, 'not set')}"
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    )


def _evaluate(
    settings: Settings,
    tasks: Mapping[str, Sequence[HarnessTask]],
    log: AnswerLog,
    sets: Sequence[RowSet],
) -> dict[str, Any]:
    import lm_eval.models  # registers the backends  # noqa: F401
    from lm_eval.api.registry import get_model as backend_class
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.tasks import TaskManager

    from dnc_harness.logged_model import attach

    _hush()
    given = {
        "dnc_limit": settings.limit,
        "dnc_data": str(data.folder(settings.data)),
        "dnc_templates": dict(settings.templates) if settings.templates else None,
    }
    # Only the folders that are needed: lm-eval parses every file of those it is given.
    datasets = dict.fromkeys(task.variant.dataset for some in tasks.values() for task in some)
    groups = ("groups",) if any(name in listing.groups() for name in tasks) else ()
    folders = [str(tasks_path() / name) for name in (*groups, *datasets)]
    manager = TaskManager(include_path=folders or None, include_defaults=False, metadata=given)
    # Before the model, so that an error comes at once.
    loaded = manager.load([*tasks, *(one.task(settings.limit) for one in sets)])
    for task in loaded["tasks"].values():
        task.config.repeats = settings.repeats
    within = {child for group in loaded["groups"].values() for child in group.child_names}
    top = [*loaded["groups"].items(), *loaded["tasks"].items()]
    try:
        if settings.model == model_names.TEXT:
            from dnc_harness import text_model  # registers the backend  # noqa: F401
        backend = backend_class(settings.model)
        model = backend.create_from_arg_obj(
            dict(settings.model_args),
            {
                "batch_size": settings.batch_size,
                "device": settings.device or _usual_device(backend, settings),
            },
        )
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        remedy = f"; install it with: {extras.command('train')}" if missing in _OF_TRAIN else ""
        raise HarnessError(f"cannot load the model {settings.model}: {error}{remedy}") from error
    if settings.model == "dummy":
        model.tokenizer = None  # lm-eval would download one as soon as it is asked for
    tokenizer = getattr(model, "tokenizer", None)
    if settings.chat_template and getattr(tokenizer, "chat_template", "unknown") is None:
        raise HarnessError(
            f"the tokenizer of {settings.model} {model_arguments.arguments(settings.model_args)} has no chat template; "
            "leave --apply-chat-template out, or name a model that has one"
        )
    with _only_the_backends_bar():
        results: dict[str, Any] = simple_evaluate(
            model=attach(model, log),
            model_args=model_arguments.arguments(settings.model_args),
            tasks=[item for name, item in top if name not in within],
            num_fewshot=settings.num_fewshot,
            batch_size=settings.batch_size,
            device=settings.device,
            gen_kwargs=settings.generation() or None,
            apply_chat_template=settings.chat_template,
            system_instruction=settings.system_instruction,
            task_manager=manager,
        )
    # lm-eval writes the backend's name here when it makes the model itself, and the class's otherwise.
    results["config"]["model"] = settings.model
    results["config"]["gen_kwargs"] = model_arguments.arguments(settings.gen_kwargs)
    for config in results["configs"].values():
        if isinstance(options := config.get("generation_kwargs"), dict):
            config["generation_kwargs"] = model_arguments.arguments(options)
    return results


def _usual_device(backend: Any, settings: Settings) -> str | None:
    """What lm-eval's own command asks for: the first GPU, which its backends leave for the CPU if there is none.

    Left to themselves they ask for "cuda" and fail on a machine without.
    """
    takes_one = "device" in inspect.signature(backend).parameters
    return "cuda:0" if takes_one and "device" not in settings.model_args else None


@contextmanager
def _only_the_backends_bar() -> Iterator[None]:
    """Leave out lm-eval's progress bar of every task, and git's complaint in a folder without a repository."""
    from lm_eval import evaluator
    from lm_eval.api import task
    from lm_eval.loggers.utils import get_commit_from_path

    bar, commit = task.tqdm, evaluator.get_git_commit_hash
    task.tqdm = lambda rows, **_: rows
    evaluator.get_git_commit_hash = lambda: get_commit_from_path(Path.cwd())
    try:
        yield
    finally:
        task.tqdm, evaluator.get_git_commit_hash = bar, commit


def _hush() -> None:
    """Keep warnings that concern a user; lm-eval repeats some for every one of hundreds of tasks."""
    repeated = ("Custom kwargs can be passed", "Overwriting default num_fewshot", "generation_kwargs:")
    for name in ("lm_eval.api.task", "lm_eval.evaluator", "lm_eval.config.task"):
        logging.getLogger(name).addFilter(
            lambda record: not any(words in record.getMessage() for words in repeated)
        )
    # Of requests that are sent together, the first failure ends the run and is reported; the others add nothing.
    logging.getLogger("asyncio").addFilter(
        lambda record: "exception was never retrieved" not in record.getMessage()
    )
