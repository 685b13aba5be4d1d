"""`dnc completion`: complete commands, options and config names in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from importlib import import_module

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", choices=SHELLS, help='name the shell; in ~/.bashrc: eval "$(dnc completion bash)"'
    )


def run(arguments: argparse.Namespace) -> int:
    from dnc_datasets.cli import COMMANDS

    found = {name: _options(module) for name, (module, _) in COMMANDS.items()}
    for name in COMMANDS:
        if " " in name:  # the first word completes to the second
            first, second = name.split()
            found[first] = [*found.get(first, []), second]
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell](found))
    return 0


def _options(module: str) -> list[str]:
    """Return the long options of a command, and the choices of its arguments."""
    parser = argparse.ArgumentParser()
    try:
        import_module(module).add_arguments(parser)
    except ImportError:  # an extra is not installed: the command itself prints an error
        return []
    words = []
    for action in parser._actions:
        words += [word for word in action.option_strings if word.startswith("--")]
        if not action.option_strings and action.choices:
            words += map(str, action.choices)
    return sorted({*words, "--plugin"})


def _bash(found: Mapping[str, Sequence[str]]) -> str:
    cases = "\n".join(
        f'    "{name}{_rest(name)}) words="{" ".join(words)}" ;;' for name, words in _longest(found)
    )
    return f"""_dnc() {{
  local words="{" ".join(_first(found))}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" in
{cases}
    *) words="" ;;
    esac
    case "${{COMP_WORDS[1]}} $2" in
    "build -"*|"show -"*|"list -"*) ;;
    "build "*|"show "*|"list "*) words="$words $(dnc list --names 2>/dev/null)" ;;
    esac
  fi
  COMPREPLY=($(compgen -o default -W "$words" -- "$2"))
}}
complete -o default -F _dnc dnc"""


def _first(found: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the first words of all commands."""
    return list(dict.fromkeys(name.split()[0] for name in found))


def _longest(found: Mapping[str, Sequence[str]]) -> list[tuple[str, Sequence[str]]]:
    """Return the commands of two words before those of one, which would match them too."""
    return sorted(found.items(), key=lambda item: -item[0].count(" "))


def _rest(name: str) -> str:
    return '"' if " " in name else ' "*'


def _zsh(found: Mapping[str, Sequence[str]]) -> str:
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash(found)}"


def _fish(found: Mapping[str, Sequence[str]]) -> str:
    lines = [f"complete -c dnc -n __fish_use_subcommand -f -a '{' '.join(_first(found))}'"]
    for name, words in found.items():
        options = " ".join(words)
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in name.split())
        lines.append(f"complete -c dnc -n '{seen}' -a '{options}'")
    lines.append(
        "complete -c dnc -n '__fish_seen_subcommand_from build show list' -a '(dnc list --names 2>/dev/null)'"
    )
    return "\n".join(lines)
