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
from dnc_harness import data, listing, prompts, recording, task_files
from dnc_harness.answer_log import AnswerLog
from dnc_harness.errors import HarnessError
from dnc_harness.listing import HarnessTask
from dnc_harness.recording import Reply
from dnc_harness.row_sets import RowSet
from dnc_harness.server_replies import fault_of
from dnc_metrics import record, record_builder
from dnc_metrics.record import Provenance, Record, System
from dnc_metrics.verdicts import MARGIN

# Temperature of models that are asked several times, unless --gen-kwargs sets another.
SAMPLING_TEMPERATURE = 0.7
RESULTS, LOG, RUN = "lm_eval.json", "answers.jsonl", "run.json"
_COMMAND = "dnc eval"
_OTHER_FOLDER = "choose another folder (--out of `dnc eval`, --results of `dnc diagnose`)"
_OF_TRAIN = ("torch", "transformers", "accelerate")  # packages of the extra `train`
_MAX_PROMPT = 8_000  # characters of a request in the record
_NAMES = (RUN, LOG, RESULTS, record.FILE_NAME, "record.rows.jsonl", "severity.svg")


@dataclass(frozen=True)
class Settings:
    """The settings of a run: an lm-eval backend with its arguments, tasks, rows and the output folder."""

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
    reasoning: bool = False  # the model reasons before it replies, and needs more tokens
    batch_size: str | None = None
    device: str | None = None
    skip_missing: bool = False
    margin: float = MARGIN  # the smallest drop that a verdict of "no drop" rules out
    repeats: int = 1  # number of replies per row of a model that samples
    # capability -> templates to ask, under "" for the originals; for `until_decided`.
    templates: Mapping[str, int] | None = None

    def generation(self) -> dict[str, Any]:
        """Return the generation options that differ from the task files: the user's and those they imply."""
        options: dict[str, Any] = {}
        if self.num_fewshot:
            options["until"] = list(task_files.FEW_SHOT_STOPS)
        if self.reasoning:
            options["max_gen_toks"] = task_files.REASONING_TOKENS
        if self.repeats > 1:
            options |= {"do_sample": True, "temperature": SAMPLING_TEMPERATURE}
        return {**options, **self.gen_kwargs}

    def recorded(self) -> dict[str, Any]:
        """Return the settings for the record, without secrets and without paths of this machine."""
        values = {key: value for key, value in asdict(self).items() if key not in ("out", "data", "model")}
        values["model_args"] = model_arguments.arguments(self.model_args)
        values["gen_kwargs"] = model_arguments.arguments(self.gen_kwargs)
        return {**values, "tasks": list(self.tasks)}


def may_write(folder: Path) -> None:
    """Raise an error if the folder holds files of these names that no evaluation has written."""
    owned_folder.check(folder, _COMMAND, _NAMES, _adopts)


def opened(folder: Path) -> OwnedFolder:
    """Return the folder of an evaluation, for writing by this process only."""
    return OwnedFolder(folder, _COMMAND, names=_NAMES, adopts=_adopts)


def _adopts(folder: Path) -> tuple[str, ...]:
    """Return the names of an evaluation's files if a version without marks wrote them, by its `run.json`."""
    try:
        with filesystem.open_regular(folder / RUN) as file:
            return _NAMES if b'"dnc_version"' in file.read(200) else ()
    except OSError:
        return ()


def run(settings: Settings, sets: Sequence[RowSet] = ()) -> Record:
    """Evaluate, write `lm_eval.json`, `record.json` and its outcomes to the folder, and return the record.

    `sets` are rows to ask in addition to those of the tasks (see `row_sets`).

    Replies are logged as they arrive. After an interruption, a run with the same settings asks the model only for
    the missing replies. No other process may write to the folder during a run.
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
    configs = _asked(samples, settings, log.cut_off, sets)
    provenance = _provenance(settings)
    provenance = replace(provenance, settings={**provenance.settings, "prompts": _prompts(samples, sets)})
    result, outcomes = record_builder.make(_system(settings), provenance, configs, settings.margin)
    return record.write(result, outcomes, folder)


def _asked(
    samples: Mapping[str, Sequence[Mapping[str, Any]]],
    settings: Settings,
    cut_off: Container[tuple[str, str, str]],
    sets: Sequence[RowSet],
) -> list[record_builder.Asked]:
    """Score the replies of each task that lm-eval logged."""
    known = {task.name: task for task in listing.tasks()}
    sets_by_name = {row_set.name: row_set for row_set in sets}
    built = data.folder(settings.data)
    asked = []
    for name, rows in samples.items():
        replies = {
            str(row["doc"]["id"]): [
                Reply(text or "", (name, str(row["doc"]["id"]), text) in cut_off, fault_of(text))
                for text in row["resps"][0]
            ]
            for row in rows
        }
        if name in sets_by_name:
            asked.append(sets_by_name[name].asked(replies))
        else:
            asked.append(recording.asked(known[name].variant, known[name].prompt, replies, built))
    return asked


def _prompts(samples: Mapping[str, Sequence[Mapping[str, Any]]], sets: Sequence[RowSet]) -> dict[str, str]:
    """Return the first request of each prompt as the model received it; {problem} replaces the row."""
    names = {task.name: task.prompt for task in listing.tasks()} | {
        row_set.name: row_set.prompt for row_set in sets
    }
    templates: dict[str, str] = {}
    for task, rows in samples.items():
        if rows and names[task] not in templates:
            request = rows[0]["arguments"][0][0]
            templates[names[task]] = _template(str(getattr(request, "prompt", request)), rows[0]["doc"])
    return templates


def _template(request: str, doc: Mapping[str, Any]) -> str:
    """Return a request with the row replaced by {problem}. The messages of a conversation are JSON."""
    problem = prompts.layout(dict(doc))
    for text in (problem, json.dumps(problem)[1:-1], json.dumps(problem, ensure_ascii=False)[1:-1]):
        before, _, after = request.rpartition(text)
        if len(before) + len(after) < len(request):
            return f"{before}{{problem}}{after}"[:_MAX_PROMPT]
    return request[:_MAX_PROMPT]


def _system(settings: Settings) -> System:
    arguments = model_arguments.arguments(settings.model_args)
    name = str(arguments.get("pretrained") or arguments.get("model") or settings.model)
    # The name of a local model, not its path on this machine.
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
    """Return the tasks of each name to run: a task, a group or a tag; raise if unknown or without data."""
    if not settings.tasks:
        raise HarnessError("name at least one task or group; `dnc tasks --groups` lists them")
    tasks = {task.name: task for task in listing.tasks()}
    members: dict[str, list[str]] = {}
    if any(name not in tasks for name in settings.tasks):
        members |= listing.groups()
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
    members_of_all = [task for group in wanted.values() for task in group]
    built = data.folder(settings.data)
    available = [task for task in members_of_all if data.is_here(task.variant, built)]
    # lm-eval refuses a task that two groups share. Such groups run as single tasks.
    if len(available) == len(members_of_all) == len(set(members_of_all)):
        return wanted
    if not settings.skip_missing:
        data.require([task.variant for task in members_of_all], built)
    if not available:
        raise HarnessError(
            f"no dataset of {', '.join(settings.tasks)} is in {built}; `dnc build` writes them"
        )
    return {task.name: [task] for task in available}


def _check_same_model(settings: Settings, folder: OwnedFolder) -> None:
    """Raise an error if the folder holds the answers of another model."""
    arguments = model_arguments.arguments(dict(sorted(settings.model_args.items())))
    current = {"model": settings.model, "model_args": {name: str(value) for name, value in arguments.items()}}
    path = settings.out / RUN
    if not path.exists():
        folder.write_text(RUN, json.dumps({"dnc_version": __version__, **current}, indent=1) + "\n")
        return
    stored = untrusted.read_json(path, error=HarnessError, remedy=_OTHER_FOLDER, exact=True)
    if not isinstance(stored, dict):
        raise HarnessError(f"{path} does not name a model; {_OTHER_FOLDER}")
    if {name: stored.get(name) for name in current} != current:
        raise HarnessError(
            f"{settings.out} holds the answers of another model ({_difference(stored, current)}); {_OTHER_FOLDER}"
        )


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """State the arguments in which two models differ.

    >>> _difference({"model": "hf", "model_args": {"pretrained": "a"}}, {"model": "hf", "model_args": {"dtype": "b"}})
    'pretrained was a and is now not set, dtype was not set and is now b'
    """
    arguments = [run.get("model_args") for run in (before, now)]
    old, new = (
        {"backend": run.get("model"), **(values if isinstance(values, dict) else {})}
        for run, values in zip((before, now), arguments, strict=True)
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
    metadata = {
        "dnc_limit": settings.limit,
        "dnc_data": str(data.folder(settings.data)),
        "dnc_templates": dict(settings.templates) if settings.templates else None,
    }
    with task_files.temporary_folder(task for group in tasks.values() for task in group) as folder:
        manager = TaskManager(include_path=str(folder), include_defaults=False, metadata=metadata)
        # Tasks load before the model, so that their errors appear early.
        loaded = manager.load([*tasks, *(one.task(settings.limit) for one in sets)])
    for task in loaded["tasks"].values():
        task.config.repeats = settings.repeats
    nested = {child for group in loaded["groups"].values() for child in group.child_names}
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
        model.tokenizer = None  # lm-eval would download one on first access
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
            tasks=[item for name, item in top if name not in nested],
            num_fewshot=settings.num_fewshot,
            batch_size=settings.batch_size,
            device=settings.device,
            gen_kwargs=settings.generation() or None,
            apply_chat_template=settings.chat_template,
            system_instruction=settings.system_instruction,
            task_manager=manager,
        )
    # lm-eval writes the class name of a model that it did not create.
    results["config"]["model"] = settings.model
    results["config"]["gen_kwargs"] = model_arguments.arguments(settings.gen_kwargs)
    for config in results["configs"].values():
        if isinstance(options := config.get("generation_kwargs"), dict):
            config["generation_kwargs"] = model_arguments.arguments(options)
    return results


def _usual_device(backend: Any, settings: Settings) -> str | None:
    """Return the device that the lm-eval command uses: the first GPU.

    Its backends fall back from "cuda:0" to the CPU. Their own default, "cuda", fails on a machine without a GPU.
    """
    takes_device = "device" in inspect.signature(backend).parameters
    return "cuda:0" if takes_device and "device" not in settings.model_args else None


@contextmanager
def _only_the_backends_bar() -> Iterator[None]:
    """Hide lm-eval's progress bar of every task, and git's warning in a folder without a repository."""
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
    """Filter the warnings that lm-eval repeats for each of hundreds of tasks."""
    repeated = ("Custom kwargs can be passed", "Overwriting default num_fewshot", "generation_kwargs:")
    for name in ("lm_eval.api.task", "lm_eval.evaluator", "lm_eval.config.task"):
        logging.getLogger(name).addFilter(
            lambda record: not any(words in record.getMessage() for words in repeated)
        )
    # The first failure of concurrent requests ends the run and is reported. The others add nothing.
    logging.getLogger("asyncio").addFilter(
        lambda record: "exception was never retrieved" not in record.getMessage()
    )
