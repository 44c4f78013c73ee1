"""The parameters of a public object: from its signature, else from the first line of its docstring, as torch writes it for built-in functions."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MISSING: Any = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Written:
    """A parameter as the signature writes it. `annotation` is text; `default` is MISSING where there is none."""

    name: str
    kind: str
    annotation: str = ""
    default: Any = MISSING


def parameters(found: object, name: str) -> list[Written]:
    """Those that a caller gives, without `self` and `**kwargs`; empty where nothing is known."""
    made = list(_inspected(found))
    if made and any(w.kind != "many" for w in made):
        return made
    return list(_first_line(inspect.getdoc(found) or "", name.rpartition(".")[2])) or made


def _inspected(found: Any) -> Iterator[Written]:
    try:
        listed = inspect.signature(found).parameters.values()
    except (ValueError, TypeError):
        return
    for p in listed:
        if p.kind is p.VAR_KEYWORD or p.name in ("self", "cls"):
            continue
        kind = "many" if p.kind is p.VAR_POSITIONAL else "keyword" if p.kind is p.KEYWORD_ONLY else "plain"
        yield Written(p.name, kind, _text(p.annotation), p.default)


def _text(annotation: object) -> str:
    if annotation is MISSING:
        return ""
    if isinstance(annotation, str):
        return annotation
    return annotation.__qualname__ if isinstance(annotation, type) and not hasattr(annotation, "__args__") else str(annotation)


def _first_line(doc: str, last: str) -> Iterator[Written]:
    """`add(input, other, *, alpha=1, out=None) -> Tensor`."""
    found = re.search(rf"^\s*(?:\w+\.)*{re.escape(last)}\((.*?)\)\s*(?:->.*|:?\s*)$", doc, re.MULTILINE | re.DOTALL)
    if found is None or found.start() > 200:
        return
    kind = "plain"
    for part in _split(found.group(1).replace("\\", "")):
        name, _, default = (piece.strip() for piece in part.partition("="))
        name, _, annotation = (piece.strip() for piece in name.partition(":"))
        if not name.strip("*"):
            kind = "keyword"
        elif name.lstrip("*").isidentifier() and not name.startswith("**"):
            yield Written(name.lstrip("*"), "many" if name.startswith("*") else kind, annotation, _literal(default) if default else MISSING)


def _split(text: str) -> list[str]:
    """At the commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [p.strip() for p in parts if p.strip()]


class Name(str):
    """A default that is a name: `torch.strided`."""

    __slots__ = ()


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return Name(text)
