"""The arguments of torch's functions and methods that are written in C++: from its stub files, and from the schemas of its operators."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import stub_signatures

SPACES = {"_linalg": "linalg_", "_special": "special_", "_fft": "fft_", "_sparse": "sparse_", "_nested": "nested_", "_nn": "", "_VariableFunctions": ""}
"""The modules of C++ functions, and what the names of their operators begin with."""
ALIASES = {"dim": "dim|axis", "keepdim": "keepdim|keepdims", "input": "input|x|a|x1", "other": "other|x2"}
"""Names of NumPy that torch's own reader of arguments takes as well (`numpy_compatibility_arg_names`)."""
LEGACY = "* *device= *data= *size= *other= *storage= *cdata="
"""torch.Tensor and its old types by element type, whose reader of arguments has its forms in C++ (`legacy_tensor_generic_ctor_new`)."""


def forms(name: str, value: Any) -> list[str]:
    """The forms of a function or method of C++; none where torch does not say."""
    import torch

    last = name.rpartition(".")[2]
    if value is torch.Tensor or type(value).__name__ == "tensortype":
        return [LEGACY]
    if name.startswith("torch.Tensor."):
        return _aliased(_stub("__init__", f"TensorBase.{last}") or _schemas(last, method=True))
    if type(value).__name__ == "pybind11_type":
        return _described(value)
    own = getattr(value, "__name__", last)
    stubbed = _stub("_VariableFunctions", own) or _stub("_nn", own) or _stub("__init__", own)
    space = getattr(value, "__module__", "") or ""
    before = next((b for word, b in SPACES.items() if space.endswith(word)), "")
    operator = own if own.lstrip("_").startswith(before) else before + own
    return _aliased(stubbed or _schemas(operator, method=False) or _schemas(f"_{operator}", method=False)) or _described(value)


def _described(value: Any) -> list[str]:
    """The forms in the docstring of a class or function of pybind11: `__init__(self: C, arg0: int, name: str = 'x') -> None`, one line for each overload."""
    made = type(value).__name__ == "pybind11_type"
    text = (value.__init__ if made else value).__doc__ or ""
    lines = [re.fullmatch(rf"(?:\d+\. )?{'__init__' if made else re.escape(getattr(value, '__name__', ''))}\((.*)\) -> .*", line) for line in text.splitlines()]
    return [" ".join(_words(line[1])[int(made) :]) for line in lines if line]


def _words(arguments: str) -> list[str]:
    """pybind11 calls an argument without a name `arg0`; it is given by position."""
    parts = re.split(r", (?![^\[(]*[\])])", arguments) if arguments else []
    words = []
    for part in parts:
        name = re.match(r"\**\w*", part)
        word = name[0] if name else ""
        if word.startswith("*"):
            words.append("**" if word.startswith("**") else "*")
        else:
            words.append(f"{'/' if re.fullmatch(r'self|arg[0-9]+', word) else ''}{word}{'=' if ' = ' in part else ''}")
    return words


def _stub(file: str, name: str) -> list[str]:
    import torch

    return stub_signatures.read(Path(torch.__file__).parent / "_C" / f"{file}.pyi").get(name, [])


def _schemas(operator: str, method: bool) -> list[str]:
    import torch

    found = []
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{operator}"):
        words = []
        for argument in schema.arguments:
            name = argument.name if argument.name != "self" else "self" if method else "input"
            mark = "/" if name == "self" else "*" if argument.kwarg_only else ""
            words.append(f"{mark}{name}{'=' if argument.has_default_value() else ''}")
        found.append(" ".join(words))
    return found


def _aliased(forms: list[str]) -> list[str]:
    return [" ".join(_alias(word) for word in one.split()) for one in forms]


def _alias(word: str) -> str:
    name = word.strip("*/=")
    return word.replace(name, ALIASES[name]) if name in ALIASES and not word.startswith("/") else word
