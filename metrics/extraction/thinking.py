"""Separation of a reply from its reasoning: text inside thinking tags is never an answer."""

from __future__ import annotations

import re

# Names of thinking tags: <think>, [THINK], <seed:think>, <|begin_of_thought|> and similar ones.
_NAMES = r"think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratch_?pad|inner_?monologue|chain_?of_?thought"
_TAG = re.compile(
    rf"<(?P<shut>/?)(?:seed:|antml:)?(?:{_NAMES})>|\[(?P<shut2>/?)THINK\]|◁(?P<shut3>/?)think▷"
    r"|<\|(?:begin_of_thought|START_THINKING)\|>|(?P<shut4><\|(?:end_of_thought|END_THINKING)\|>)",
    re.I,
)
# Harmony: every message names its channel, and only the final one is for the reader.
_CHANNEL = "<|channel|>"
_FINAL_CHANNEL = re.compile(
    r"<\|channel\|>final(?:<\|constrain\|>\w{1,20})? ?(?:<\|message\|>)?|assistantfinal"
)
_BARE_CHANNEL = re.compile(r"\s{0,9}(?:assistant)?analysis(?=[A-Z])")


def spoken(text: str) -> tuple[str, bool]:
    """Return the text outside thinking tags, and whether the text ends inside one.

    A closing tag without an opening one (which chat templates put into the prompt) ends the reasoning before
    it.

    >>> spoken("<think>The answer is 7</think> She has 42")
    (' She has 42', False)
    >>> spoken("<think>First I add 3")
    ('', True)
    """
    if _CHANNEL in text or "analysis" in text[:40]:
        finals = list(_FINAL_CHANNEL.finditer(text))
        if finals:
            return text[finals[-1].end() :], False
        if _CHANNEL in text:
            return text[: text.index(_CHANNEL)], True
        if _BARE_CHANNEL.match(text):
            return "", True
    if "<" not in text and "[" not in text and "◁" not in text:
        return text, False
    said: list[str] = []
    opened = end = 0
    for tag in _TAG.finditer(text):
        shut = tag["shut"] or tag["shut2"] or tag["shut3"] or tag["shut4"]
        if not shut:
            if not opened:
                said.append(text[end : tag.start()])
            opened += 1
            continue
        if not opened:
            said.clear()
        opened = 0  # a second opening tag inside is the model's own words
        end = tag.end()
    return ("".join(said), True) if opened else ("".join(said) + text[end:], False)
