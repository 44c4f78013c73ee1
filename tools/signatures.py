"""Writes the arguments of the libraries' public functions, classes and methods into `src/tensorproof/libraries/signatures/`.

    python tools/signatures.py torch tensorflow keras numpy python          # write, from the installed libraries
    python tools/signatures.py torchvision --path FOLDER                    # a library that lies unpacked in a folder: its compiled operators are not needed
    python tools/signatures.py torch --check                                # exit status 1 when the committed file differs, for the version that it speaks of

A line is a dotted name and its arguments: `x` is needed, `x=` has a default, `/x` has no name for the caller, `*x` is given by name only, `*` and `**` take any
more, `**x|y` takes more of these names, `dim|axis` has two names. ` | ` stands between forms of which any may be meant (overloads; TensorFlow 1 and 2).
What Python itself says (`inspect`) comes first; of what is written in C, the stub files and the schemas of operators say it.
A name whose arguments nothing reveals has no line.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import inspect
import io
import os
import pkgutil
import subprocess
import sys
import types
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from tensorproof.bindings.names import public
from tensorproof.libraries import homes, results
from tensorproof.libraries.keras.names import canonical
from tensorproof.libraries.model import ClassModel, KindModel

sys.path.insert(0, str(Path(__file__).resolve().parent))
import passed_on
import stub_signatures
import torch_signatures

FOLDER = Path(__file__).resolve().parent.parent / "src" / "tensorproof" / "libraries" / "signatures"
TYPESHED = Path(sys.prefix) / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages" / "mypy" / "typeshed" / "stdlib"
_NOT_READ = ("antigravity", "this", "idlelib", "lib2to3", "turtledemo", "turtle", "test", "tkinter", "nturl2path", "ensurepip", "pydoc_data")
"""Modules of Python that open windows, print poems or hold tests."""
STANDARD = tuple(sorted(name for name in sys.stdlib_module_names if not name.startswith("_") and name not in _NOT_READ))
ROOTS = {"torch": {"torch": ("torch",)}, "tensorflow": {"tf": ("tensorflow", "tensorflow.compat.v1")}, "keras": {"keras": ("keras",)},
         "numpy": {"numpy": ("numpy",)}, "torchvision": {"torchvision": ("torchvision",)}, "python": {name: (name,) for name in STANDARD}}  # fmt: skip
CLASSES = {"torch": ("torch.nn.Module", "torch.Tensor"), "keras": ("keras.Layer", "keras.Model")}
"""Classes of which every method is listed: layers and tensors have no model with a table of methods."""
BY_HAND = {"torch": {"torch.Tensor.item": "/self", "torch.Tensor.tolist": "/self", "torch.Tensor.numpy": "/self *force=", "torch.Tensor.data_ptr": "/self"},
    "numpy": {f"numpy.{name}": f"{operands} /out1= /out2= *out= *where= *casting= *order= *dtype= *subok= *signature|sig="
              for name, operands in (("frexp", "/x"), ("modf", "/x"), ("divmod", "/x1 /x2"))}
             | {"numpy.arange": "stop *dtype= *device= *like= | start stop= step= dtype= *device= *like="},
    "python": {"inspect.Parameter": "name kind *default= *annotation=", "inspect.Signature": "parameters= *return_annotation= *__validate_parameters__=",
               "ntpath.realpath": "path *strict=", **dict.fromkeys(("os.stat_result", "os.terminal_size", "time.struct_time"), "sequence dict=")}}  # fmt: skip
"""Names written in C, which do not reveal their arguments, and a few whose defaults or stubs mislead; tried by hand."""


@cache
def modelled() -> tuple[set[str], set[str]]:
    """The names of all functions and constructors that have a model, and those of methods."""
    functions: set[str] = set()
    found: set[str] = set()
    for file in homes.files():
        module = importlib.import_module(f"tensorproof.libraries.{file}")
        functions |= set(getattr(module, "FUNCTIONS", {}))
        tables: list[dict[str, ClassModel | KindModel]] = [getattr(module, "CLASSES", {}), getattr(module, "KINDS", {})]
        found |= {f"{name}.{method}" for table in tables for name, one in table.items() for method in one.methods}
    for sort in ("class", "object"):
        found |= {f"{owner}.{method}" for owner, methods in results.rows()[sort].items() for method in methods}
    return functions, found


def resolved(module: str, path: list[str]) -> Any:
    """What a name stands for, and the class that holds it where it is a method; None when there is no such thing."""
    holder, value = None, importlib.import_module(module)
    for at, word in enumerate(path):
        try:
            holder, value = value, getattr(value, word)
        except Exception:  # a lazy attribute may raise anything, such as the lack of an optional package
            try:
                holder, value = value, importlib.import_module(".".join([module, *path[: at + 1]]))
            except Exception:
                return None
    return holder, value


def arguments(holder: Any, value: Any, name: str, path: list[str]) -> str | None:
    """The arguments of a function, a class, or a method of a class, which has `/self` as the first."""
    before: list[str] = []
    left_out = 0
    made_class = value if inspect.isclass(value) else None
    if inspect.isclass(value):
        made = inspect.getattr_static(value, "__init__", None)
        left_out, value = (1, value.__init__) if inspect.isfunction(made) and not _gives_others(value) else (0, value)
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
        given = value.__new__ if inspect.isclass(value) and inspect.isfunction(getattr(value, "__init__", None)) else value
        parameters = list(inspect.signature(given).parameters.values())[int(given is not value) :]
        left_out = 0 if parameters and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL else left_out
        parameters = parameters[left_out:]
    except (ValueError, TypeError):
        return None
    words = [*before, *map(word_of, parameters)]
    if "**" in words or hasattr(value, "__wrapped__"):  # a wrapper may take names that the function does not have
        known = passed_on.more_names(value, holder if inspect.isclass(holder) else made_class)
        if known is not None:
            words = [word for word in words if word != "**"] + ([f"**{'|'.join(sorted(known))}"] if known else [])
    if hasattr(value, "__wrapped__") and "*" not in words and any(word.startswith("*") and not word.startswith("**") for word in words) and _takes_any(value):
        words.append("*")  # a wrapper may give names to positions, as those of torchvision's old interface do
    return " ".join(words)


def _gives_others(value: Any) -> bool:
    """Whether the `__new__` of a class may give what `__init__` does not take: `torch.no_grad` decorates a function that it is given."""
    making = inspect.getattr_static(value, "__new__", None)
    taken = inspect.signature(value.__init__).parameters
    return len(taken) == 1 and inspect.isfunction(getattr(making, "__func__", making)) and len(inspect.signature(value.__new__).parameters) > 1


def _takes_any(wrapper: Any) -> bool:
    code = getattr(wrapper, "__code__", None)
    return code is not None and bool(code.co_flags & inspect.CO_VARARGS)


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
    every |= {name for name in modelled()[0] | modelled()[1] if name.partition(".")[0] in ROOTS[library]}
    if library == "python":
        return every | {name for module in standard_modules() for name in names_in(module)}
    if library == "torchvision":
        return every | {name for module in ["torchvision", *submodules("torchvision")] for name in names_in(module)}
    return every | {name for name in public(library) if canonical(name) == name or not name.startswith("tf.keras.")}


def submodules(package: str) -> list[str]:
    """The public modules below a package, as far as they can be imported."""
    found = []
    folder = getattr(_quietly(package), "__path__", [])
    for info in pkgutil.iter_modules(folder, f"{package}."):
        if not info.name.rpartition(".")[2].startswith(("_", "test")) and _quietly(info.name) is not None:
            found += [info.name, *submodules(info.name)]
    return found


def _quietly(name: str) -> types.ModuleType | None:
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return importlib.import_module(name)
    except BaseException:  # a foreign module's body may raise anything, SystemExit too
        return None


def standard_modules() -> list[str]:
    return [name for root in STANDARD if _quietly(root) is not None for name in (root, "os.path" if root == "os" else root, *submodules(root))]


def names_in(module: str) -> set[str]:
    """The functions and classes that a module lists in `__all__` or, without such a list, that are its own."""
    found = sys.modules[module]
    inside = module if module.partition(".")[0] in STANDARD else module.partition(".")[0]
    listed = getattr(found, "__all__", None) or [w for w in dir(found) if _made_in(getattr(found, w, None), inside)]
    return {f"{module}.{word}" for word in listed if not word.startswith("_") and callable(getattr(found, word, None))}


def _made_in(value: Any, module: str) -> bool:
    home = getattr(value, "__module__", None)
    return isinstance(home, str) and (home == module or (module not in STANDARD and home.startswith(f"{module}.")))


def forms(library: str, module: str, name: str, path: list[str]) -> list[str] | None:
    """The forms of a name below a module: none where it is no function there, None where they are not known."""
    found = resolved(module, path) if path and not path[-1].startswith("_") else None
    if found is None or not callable(found[1]):
        return []
    found_arguments = arguments(*found, name, path)
    if found_arguments is not None:
        return [found_arguments]
    in_c = torch_signatures.forms(name, found[1]) if library == "torch" else _stubbed(library, name, path, found[1])
    return _by_kind(found[1]) or in_c or _stubbed("python", name, path, found[1]) or _inherited(*found, path[-1]) or None


def _by_kind(value: Any) -> list[str]:
    """The arguments of exceptions, of nodes of syntax trees without fields, and of messages of protocol buffers, whose fields are given by name."""
    if inspect.isclass(value) and issubclass(value, ast.AST) and not value._fields:
        return ["**"]
    if inspect.isclass(value) and hasattr(value, "DESCRIPTOR") and hasattr(value.DESCRIPTOR, "fields_by_name"):
        return [" ".join(f"*{field}=" for field in value.DESCRIPTOR.fields_by_name)]
    if inspect.isclass(value) and issubclass(value, BaseException) and isinstance(value.__init__, types.WrapperDescriptorType):
        return ["* **" if issubclass(value, (ImportError, AttributeError, NameError)) else "*"]
    return []


def _inherited(holder: Any, value: Any, word: str) -> list[str]:
    """The forms that the stubs of Python have for the class from which a class has its constructor, or an object its method."""
    owner = value if inspect.isclass(value) else holder
    keys = {"__init__", "__new__"} if inspect.isclass(value) else {word}
    for base in owner.__mro__ if inspect.isclass(owner) else ():
        if base is object or not keys & set(vars(base)):
            continue
        inner = base.__qualname__ if inspect.isclass(value) else f"{base.__qualname__}.{word}"
        file = TYPESHED.joinpath(*base.__module__.split("."))
        found = stub_signatures.read(file.with_suffix(".pyi")) or stub_signatures.read(file / "__init__.pyi")
        if inner in found:
            return found[inner]
    return []


def _stubbed(library: str, name: str, path: list[str], value: Any) -> list[str]:
    """The forms in the stub file of the module, or in that of the module where the object was made."""
    folder = TYPESHED if library == "python" else Path(importlib.import_module(library).__file__ or "").parent.parent
    holder = name.rpartition(".")[0]
    made = (str(getattr(value, "__module__", "")), str(getattr(value, "__qualname__", "")))
    for home, inner in [(holder, path[-1]), (holder.rpartition(".")[0], ".".join(path[-2:])), made]:
        place = folder.joinpath(*home.split("."))
        found = stub_signatures.read(place.with_suffix(".pyi")) or stub_signatures.read(place / "__init__.pyi")
        if inner in found:
            return found[inner]
    return []


def row(library: str, name: str) -> str | None:
    """The arguments of a name in all its forms."""
    if name in BY_HAND.get(library, {}):
        return BY_HAND[library][name]
    made = _found(library, name)
    if made is not None and library == "numpy":
        return made.replace(" *signature=", " *signature|sig=")
    node = getattr(ast, name.removeprefix("ast."), None) if name.startswith("ast.") else None
    if made is not None and isinstance(node, type) and issubclass(node, ast.AST):  # fields of a node may be left out
        return " ".join(word if word.endswith("=") or not word.strip("*-|") else f"{word}=" for word in made.split(" "))
    return made


def _found(library: str, name: str) -> str | None:
    root, *path = name.split(".")
    if root == "os" and path[:1] == ["path"]:
        root, path = "posixpath", path[1:]
    listed: list[str] = []
    for module in ROOTS[library].get(root, (root,)):
        found = forms(library, module, name, path)
        if found is None:
            return None
        listed += found
    return " | ".join(form or "-" for form in dict.fromkeys(listed)) if listed else None


def _can_be_called(library: str, name: str) -> bool:
    """Whether the installed library has this name, and it is a function, a class or a method."""
    root, *path = name.split(".")
    found = [resolved(module, path) for module in ROOTS[library].get(root, (root,))]
    return not path[-1].startswith("_") and any(one is not None and callable(one[1]) for one in found)


def text(library: str) -> str:
    rows = {name: found for name in sorted(names_of(library)) if (found := row(library, name)) is not None}
    lines = [f"{name} {found}" for name, found in rows.items() if not _said_elsewhere(name, found, rows)]
    return "\n".join([f"# {library} {version(library)}", *lines]) + "\n"


def _said_elsewhere(name: str, found: str, rows: dict[str, str]) -> bool:
    """`tf.compat.v1.x` has no line of its own where the line of `tf.x` holds its form."""
    plain = name.replace("tf.compat.v1.", "tf.", 1)
    return plain != name and found in rows.get(plain, "").split(" | ")


def version(library: str) -> str:
    """The version that a table speaks of; of Python the first two numbers, of torch without the build."""
    if library == "python":
        return ".".join(map(str, sys.version_info[:2]))
    return str(importlib.import_module(library).__version__).partition("+")[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="+", choices=sorted(ROOTS))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--names", action="store_true", help="print the public names that can be called, and write nothing")
    parser.add_argument("--path", help="a folder that holds the library")
    given = parser.parse_args()
    if len(given.library) > 1:  # in a process each: importing one library changes another (setuptools replaces distutils)
        flags = [*(["--check"] if given.check else []), *(["--path", given.path] if given.path else [])]
        return max(subprocess.run([sys.executable, __file__, library, *flags], check=False).returncode for library in given.library)
    if given.path:
        import torch

        sys.path.insert(0, given.path)
        torch.library.register_fake = lambda *a, **k: lambda function: function
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    warnings.simplefilter("ignore")
    if given.names:
        print("\n".join(sorted(name for name in names_of(given.library[0]) if _can_be_called(given.library[0], name))))
        return 0
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
