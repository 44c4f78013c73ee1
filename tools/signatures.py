"""Writes the arguments of library functions and methods that have a model into `src/tensorproof/libraries/signatures/`, from the installed libraries.

    python tools/signatures.py torch tensorflow keras numpy python     # write
    python tools/signatures.py torch --check                           # exit status 1 when the committed file differs, for the version that it speaks of

A line is a dotted name and its arguments: `x` is needed, `x=` has a default, `/x` has no name for the caller, `*x` is given by name only, `*` and `**` take any
more. ` | ` stands between forms of which any may be meant (TensorFlow 1 and 2). A name whose arguments the library does not reveal has no line.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import sys
import types
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from tensorproof.libraries import homes
from tensorproof.libraries.model import ClassModel, KindModel

FOLDER = Path(__file__).resolve().parent.parent / "src" / "tensorproof" / "libraries" / "signatures"
ROOTS = {"torch": {"torch": ("torch",)}, "tensorflow": {"tf": ("tensorflow", "tensorflow.compat.v1")}, "keras": {"keras": ("keras",)},
         "numpy": {"numpy": ("numpy",)}, "python": {name: (name,) for name in sys.stdlib_module_names if not name.startswith("_")}}  # fmt: skip
CLASSES = {"torch": ("torch.nn.Module", "torch.Tensor"), "keras": ("keras.Layer", "keras.Model")}
"""Classes of which every method is listed: layers and tensors have no model with a table of methods."""
BY_HAND = {"torch": {"torch.Tensor.item": "/self", "torch.Tensor.tolist": "/self", "torch.Tensor.numpy": "/self *force=", "torch.Tensor.data_ptr": "/self"}}
"""Methods written in C, which do not reveal their arguments; tried by hand."""


@cache
def modelled() -> tuple[set[str], set[str]]:
    """The names of all functions and constructors that have a model, and those of methods."""
    functions: set[str] = set()
    found: set[str] = set()
    for file in sorted({*homes.FILES.values(), "python_core"}):
        module = importlib.import_module(f"tensorproof.libraries.{file}")
        functions |= set(getattr(module, "FUNCTIONS", {}))
        tables: list[dict[str, ClassModel | KindModel]] = [getattr(module, "CLASSES", {}), getattr(module, "KINDS", {})]
        found |= {f"{name}.{method}" for table in tables for name, one in table.items() for method in one.methods}
    return functions, found


def resolved(module: str, path: list[str]) -> Any:
    """What a name stands for, and the class that holds it where it is a method; None when there is no such thing."""
    holder, value = None, importlib.import_module(module)
    for at, word in enumerate(path):
        try:
            holder, value = value, getattr(value, word)
        except AttributeError:
            try:
                holder, value = value, importlib.import_module(".".join([module, *path[: at + 1]]))
            except (ImportError, AttributeError):
                return None
    return holder, value


def arguments(holder: Any, value: Any, name: str, path: list[str]) -> str | None:
    """The arguments of a function, a class, or a method of a class, which has `/self` as the first."""
    before: list[str] = []
    left_out = 0
    if inspect.isclass(value):
        made = inspect.getattr_static(value, "__init__", None)
        left_out, value = (1, value.__init__) if inspect.isfunction(made) else (0, value)
    elif inspect.isclass(holder):
        held = inspect.getattr_static(holder, path[-1])
        if isinstance(held, (staticmethod, classmethod)) and name not in modelled()[1]:
            pass  # called through its class
        elif not inspect.isfunction(held) and not _exact(held):
            return None
        else:
            before, left_out = ["/self"], 1
    elif name in modelled()[1]:  # of an object, such as os.environ
        before = ["/self"]
    try:
        parameters = list(inspect.signature(value).parameters.values())[left_out:]
    except (ValueError, TypeError):
        return None
    return " ".join([*before, *map(word_of, parameters)])


def _exact(held: Any) -> bool:
    """Whether a method written in C reveals its arguments as they are: NumPy's own say something for readers."""
    return "cython" in type(held).__name__ or (isinstance(held, types.MethodDescriptorType) and held.__objclass__.__module__ != "numpy")


def word_of(parameter: inspect.Parameter) -> str:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return "*"
    if parameter.kind is parameter.VAR_KEYWORD:
        return "**"
    before = {parameter.KEYWORD_ONLY: "*", parameter.POSITIONAL_ONLY: "/"}.get(parameter.kind, "")
    return f"{before}{parameter.name}{'' if parameter.default is parameter.empty else '='}"


def names_of(library: str) -> set[str]:
    every = {f"{name}.{word}" for name in CLASSES.get(library, ()) for word in dir(resolved(name.partition(".")[0], name.split(".")[1:])[1])}
    return every | {name for name in modelled()[0] | modelled()[1] if name.partition(".")[0] in ROOTS[library]}


def text(library: str) -> str:
    lines = []
    for name in sorted(names_of(library)):
        if name in BY_HAND.get(library, {}):
            lines.append(f"{name} {BY_HAND[library][name]}")
            continue
        root, *path = name.split(".")
        forms = []
        for module in ROOTS[library][root]:
            found = resolved(module, path) if path and not path[-1].startswith("_") else None
            if found is not None and callable(found[1]):
                forms.append(arguments(*found, name, path))
        told = list(dict.fromkeys(forms))
        if told and None not in told:
            lines.append(f"{name} {' | '.join(form or '-' for form in told)}")
    return "\n".join([f"# {library} {version(library)}", *lines]) + "\n"


def version(library: str) -> str:
    """The version that a table speaks of; of Python the first two numbers, of torch without the build."""
    if library == "python":
        return ".".join(map(str, sys.version_info[:2]))
    return str(importlib.import_module(library).__version__).partition("+")[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="+", choices=sorted(ROOTS))
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    warnings.simplefilter("ignore")
    stale = 0
    for library in given.library:
        file = FOLDER / f"{library}.txt"
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        if given.check and old.startswith(f"# {library} ") and old.partition("\n")[0] != f"# {library} {version(library)}":
            print(f"{file} is of {old.partition(chr(10))[0][2:]}, and {version(library)} is installed: not compared")
            continue
        new = text(library)
        if given.check:
            if old != new:
                print(f"{file} is out of date: python tools/signatures.py {library}", file=sys.stderr)
                stale = 1
        else:
            FOLDER.mkdir(exist_ok=True)
            file.write_text(new, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())
