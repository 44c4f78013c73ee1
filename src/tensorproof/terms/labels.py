"""What a symbol is called in text. Its name is a key: the same in every run and unlike all others, so it holds a place and a number."""

from __future__ import annotations

import re

_LABELS: dict[str, str] = {}
_SUFFIX = r"@|#\d"
_UNNAMED = r"(?<=[\w)\]])(?:@[\w./-]+)?#\d+"
_LINE = r"@(\d+)"


def label(key: str, words: str) -> str:
    """Give a key its label; returns the key."""
    _LABELS[key] = words
    return key


def forget_labels() -> None:
    _LABELS.clear()


def names_in(texts: list[str]) -> dict[str, str]:
    """For the keys that occur in these texts, what is to be written: their labels, with the line where two symbols have the same one."""
    whole = "\n".join(texts)
    if re.search(_SUFFIX, whole) is None:
        return {}
    found: list[str] = []
    for key in sorted(_LABELS, key=len, reverse=True):
        if key in whole:
            found.append(key)
            whole = whole.replace(key, "\n")  # a shorter key inside a longer one is not meant
    by_label: dict[str, list[str]] = {}
    for key in found:
        by_label.setdefault(_LABELS[key], []).append(key)
    return {key: _apart(key, words, keys) for words, keys in by_label.items() for key in keys}


def _apart(key: str, words: str, keys: list[str]) -> str:
    """The label of one of several keys that have it."""
    if len(keys) == 1:
        return words
    lines = [line[1] if (line := re.search(_LINE, k)) else "" for k in keys]
    mine = lines[keys.index(key)]
    if mine and lines.count(mine) == 1:
        return f"{words} (line {mine})"
    return f"{words} {sorted(keys).index(key) + 1}"


def replaced(text: str, names: dict[str, str]) -> str:
    """A text with labels in place of keys; a key without a label loses its place and number."""
    for key in sorted(names, key=len, reverse=True):
        text = text.replace(key, names[key])
    return re.sub(_UNNAMED, "", text)
