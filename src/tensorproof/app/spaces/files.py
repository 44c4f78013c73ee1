"""A space in a TOML file: the program or model, how it is entered, the parameters with their values, and values for what is not varied."""

from __future__ import annotations

import os
import tomllib
from difflib import get_close_matches
from typing import Any

from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.parameters import Parameter, Value, domain_of, over
from tensorproof.terms.records import dataclass, field

KEYS: dict[str, type | tuple[type, ...]] = {
    "program": str, "model": str, "entry": str, "arguments": list, "input": dict, "param": dict, "default": dict, "mode": str, "strict": bool,
    "framework": str, "version": (str, int, float),
}  # fmt: skip
_WORDS: dict[Any, str] = {str: "string", list: "list", dict: "table", bool: "true or false"}
FRAMEWORKS = ("torch", "tensorflow", "keras")


@dataclass(slots=True)
class SpaceFile:
    """What a file says; paths in it are relative to it."""

    path: str
    entry: str | None = None
    arguments: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    parameters: list[Parameter] = field(default_factory=list[Parameter])
    mode: str | None = None
    strict: bool = False


def read_space(path: str) -> SpaceFile:
    """Read a file; whatever does not fit is refused in one sentence."""
    try:
        with open(path, "rb") as stream:
            found = tomllib.load(stream)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    for key, value in found.items():
        if key not in KEYS:
            close = get_close_matches(key, KEYS, 1)
            raise BadInput(f"{path} has no meaning for {key}; there are {', '.join(KEYS)}" + (f" (did you mean {close[0]}?)" if close else ""))
        if not isinstance(value, KEYS[key]):
            raise BadInput(f"{path}: {key} must be a {_WORDS.get(KEYS[key], 'version')}")
    if ("program" in found) is ("model" in found):
        raise BadInput(f"{path} must name one program or one model")
    if found.get("framework", "torch") not in FRAMEWORKS:
        raise BadInput(f"{path}: the framework {found['framework']} is not known; there are {', '.join(FRAMEWORKS)}")
    parameters = [_parameter(path, name, given) for name, given in found.get("param", {}).items()]
    parameters += [Parameter(name, (_one(path, name, value),)) for name, value in found.get("default", {}).items()]
    target = os.path.join(os.path.dirname(path), found.get("program") or found["model"])
    inputs = tuple(f"{name}={_text(value)}" for name, value in found.get("input", {}).items())
    return SpaceFile(
        target, found.get("entry"), tuple(map(str, found.get("arguments", ()))), inputs, parameters, found.get("mode"), found.get("strict", False)
    )  # fmt: skip


def _parameter(path: str, name: str, given: object) -> Parameter:
    """`"1..11"`, `[1, 2, 3]`, or a table with `values` and the condition `if`."""
    option = f"{path}: {name}"
    needs: tuple[str, tuple[Value, ...]] | None = None
    if isinstance(given, dict):
        strange = next((key for key in given if key not in ("values", "if")), None)
        if strange is not None or "values" not in given:
            raise BadInput(f"{option} is a table with values and perhaps if, and not {strange or 'without values'}")
        condition = given.get("if")
        if condition is not None:
            other, equals, wanted = str(condition).partition("=")
            if not equals:
                raise BadInput(f"{option}: a condition is written NAME=VALUES, such as attention=true")
            needs = (other.strip(), domain_of(wanted, option))
        given = given["values"]
    if isinstance(given, str):
        return over(name, given, option, needs)
    values = tuple(_one(path, name, value) for value in given) if isinstance(given, list) else (_one(path, name, given),)
    if not values:
        raise BadInput(f"{option}: there is no value")
    return Parameter(name, values, needs)


def _one(path: str, name: str, value: object) -> Value:
    if not isinstance(value, (int, float, str, bool)):
        raise BadInput(f"{path}: {name} has the value {value}, which is not a number, text or truth value")
    return value


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
