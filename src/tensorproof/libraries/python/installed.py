"""What a program asks of the environment: whether a package is there, and which version of it (`importlib.util`, `importlib.metadata`)."""

from __future__ import annotations

import ast
import re

from tensorproof.libraries import Run, argument
from tensorproof.values import TEXT, Args, Kwargs, Machine, Model, Unknown, Value

_SPEC = "importlib.spec"


def _find_spec(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name = argument(args, kwargs, 0, "name")
    present = m.installed(name)[0] if isinstance(name, str) else None
    if present is None:
        return Unknown("a module")
    return Model(_SPEC, m.heap.space({"name": name, "origin": TEXT, "loader": Unknown("a loader")})) if present else None


def _version(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The version of an installed distribution, whose name is spelled with - or _; of a library that is modelled, the modelled one."""
    name = argument(args, kwargs, 0, "distribution_name")
    found = m.installed(re.sub(r"[-_.]+", "_", name).lower())[1] if isinstance(name, str) else None
    return TEXT if found is None else found


FUNCTIONS: dict[str, Run] = {"importlib.util.find_spec": _find_spec, "importlib.metadata.version": _version}
