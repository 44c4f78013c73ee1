"""Counts the call sites of torch APIs in the sources of the torchvision, timm and transformers wheels, and how many have a spelling here.

    python benchmarks/call_sites.py [--names FILE] [--top 40]

The wheels are downloaded once (`pip download --no-deps`, into $TENSORPROOF_WHEELS or /work/tmp/wheels) and parsed with `ast`; nothing of
them is imported or run. What counts as a call site, by the name that it has in the public API:

* **A dotted name.** The callee is a chain of names whose head was imported from torch in this file, at the top or in an enclosing
  function (`import torch as th`, `from torch import nn`, `from torch.nn import functional as F`), or is a plain alias of one (`relu =
  F.relu`). Where a name is defined is replaced by where it is public: `torch.nn.modules.conv.Conv2d` is `torch.nn.Conv2d`. A decorator
  counts when it is called. A name that is passed and not called (`act_layer=nn.GELU`) does not count, nor does the call of a module that
  was built earlier.
* **A method.** The callee is `receiver.name` and `torch.Tensor` has a public attribute `name`. Types are unknown, so methods go by name,
  and a call is counted as `torch.Tensor.name` unless the receiver is surely no tensor: `self`, `cls`, `super()`; a name that this file
  imports, or defines as a class or function; a literal that is no number; a capitalised name; a call of a class (capitalised), of what
  comes from the standard library or a library without torch tensors (FOREIGN), or of a torch name that gives no tensor (`torch.device`,
  `nn.*`); an attribute of `self` that the class somewhere binds to the call of a class; a local name or parameter bound or annotated as
  one of these (`x: str`, `x = np.zeros(3)`).
* **A method with a common name**, one that `str`, `bytes`, `list`, `tuple`, `dict`, `set`, a Python number or `nn.Module` has too
  (`split`, `to`, `float`, `type`, `index`, …), counts only when the receiver is surely a tensor: a call that was itself counted and gives
  one; an operator, index or `.T`, `.mT`, `.data`, `.grad` of one; a parameter annotated `Tensor`; or a local name whose latest binding
  above is one of these. So `to` of a model is not counted, nor is `to` of a tensor that only types would tell.

Each name is then *spelled* (an operator or layer of the catalogue: `tensorproof.bindings.call.spelled`), *modelled* (the interpreter knows
what the call does though it is no operator, such as `nn.ModuleList`, `nn.Parameter` or `torch.no_grad`: `tensorproof.libraries.registry`
has its function or class; the model of what comes from outside, such as `torch.load`, may answer "unknown"), on the reviewed list
`no_shape_names.txt` of names that touch no shape, or none of these. The exit status is 1 when more than 3 % of the call sites are neither.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import importlib
import os
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from tensorproof.bindings import names
from tensorproof.libraries import registry

PACKAGES = ("torchvision", "timm", "transformers")
WHEELS = Path(os.environ.get("TENSORPROOF_WHEELS", "/work/tmp/wheels"))
NO_SHAPE = Path(__file__).with_name("no_shape_names.txt")
TARGET = 0.03
KINDS = ("spelled", "modelled", "no shape", "neither")

MODULE_METHODS = frozenset(name.rpartition(".")[2] for name in names.public("torch") if name.startswith("torch.nn.Module."))
TENSOR_METHODS = frozenset(name.rpartition(".")[2] for name in names.public("torch") if name.startswith("torch.Tensor."))
COMMON = MODULE_METHODS | {name for kind in (str, bytes, list, tuple, dict, set, int, float, complex) for name in dir(kind)}
TENSOR_ATTRIBUTES = frozenset({"T", "mT", "H", "mH", "data", "grad", "real", "imag"})
# Calls that give no tensor, of torch names and of methods.
NO_TENSOR = frozenset(
    {"device", "dtype", "finfo", "iinfo", "Size", "Generator", "no_grad", "is_tensor", "compile", "load"}
    | {"numel", "size", "dim", "tolist", "item", "numpy", "stride"}
)
NO_TENSOR_SPACES = ("torch.nn.", "torch.cuda.", "torch.distributed.", "torch.jit.", "torch.optim.", "torch.utils.", "torch.distributions.")
NO_TENSOR_TYPES = frozenset(
    {"str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple"} | {"List", "Dict", "Set", "Tuple", "Path", "Image", "ndarray", "Sequence"}
)
NO_TENSOR_BUILTINS = frozenset({"super", "str", "int", "float", "list", "dict", "set", "tuple", "open", "range", "len", "sorted"})
SEVERAL = frozenset({"split", "chunk", "unbind", "max", "min", "topk", "sort"})  # methods that give a tuple of tensors, or may
# Libraries whose functions give no torch tensor.
FOREIGN = sys.stdlib_module_names | {"numpy", "PIL", "scipy", "pandas", "cv2", "requests", "tensorflow", "jax", "flax", "sklearn", "yaml"}
# Where names are defined, and where they are public.
DEFINED = {
    "torch.nn.modules.": "torch.nn.",
    "torch.nn.parameter.": "torch.nn.",
    "torch.functional.": "torch.",
    "torch.utils.data.": "torch.utils.data.",
    "torch.autograd.function.": "torch.autograd.",
}

TENSOR, OTHER = "a tensor", "no tensor"  # what is known of a value; None is unknown
Known = dict[str, str | None]


def canonical(name: str) -> str:
    """The public spelling of a name that was imported from where it is defined."""
    for defined, shown in DEFINED.items():
        if name.startswith(defined) and (shorter := shown + name.rpartition(".")[2]) in names.public("torch"):
            return shorter
    return name


class Calls(ast.NodeVisitor):
    """The call sites of one file, in the order in which they stand."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.imports: list[dict[str, str]] = [{}]  # by scope: a local name and what it was imported as, empty when it hides an import
        self.known: list[Known] = [{}]  # by scope
        self.members: list[Known] = []  # by class: attributes of self
        self.types: dict[int, str | None] = {}  # by the id of a call that was visited

    # Names

    def imported(self, name: str) -> str | None:
        return next((scope[name] for scope in reversed(self.imports) if name in scope), None) or None

    def dotted(self, node: ast.expr) -> str | None:
        """`F.relu` as `torch.nn.functional.relu`; None when the head was not imported."""
        if isinstance(node, ast.Name):
            return self.imported(node.id)
        if isinstance(node, ast.Attribute):
            head = self.dotted(node.value)
            return f"{head}.{node.attr}" if head else None
        return None

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.imports[-1][alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        origin = "." * node.level + (node.module or "")
        for alias in node.names:
            self.imports[-1][alias.asname or alias.name] = f"{origin}.{alias.name}"

    # Values

    def is_a(self, node: ast.expr | None) -> str | None:
        """Whether an expression is a tensor, surely not one, or unknown."""
        match node:
            case ast.Constant(value=value):
                return None if isinstance(value, int | float) or value is None else OTHER
            case ast.JoinedStr() | ast.Dict() | ast.List() | ast.Set() | ast.Tuple() | ast.Lambda():
                return OTHER
            case ast.ListComp() | ast.DictComp() | ast.SetComp() | ast.GeneratorExp():
                return OTHER
            case ast.Name(id=name):
                if name in ("self", "cls", "super") or (name[:1].isupper() and len(name) > 1):
                    return OTHER
                local = next((scope[name] for scope in reversed(self.known) if name in scope), None)
                return local or (OTHER if self.imported(name) else None)
            case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
                return self.members[-1].get(attribute) if self.members else None
            case ast.Attribute(value=value, attr=attribute):
                if self.dotted(node):
                    return OTHER
                return self.is_a(value) if attribute in TENSOR_ATTRIBUTES and self.is_a(value) == TENSOR else None
            case ast.Subscript(value=value):
                return TENSOR if self.is_a(value) == TENSOR else None
            case ast.BinOp(left=left, right=right):
                sides = (self.is_a(left), self.is_a(right))
                return TENSOR if TENSOR in sides else OTHER if OTHER in sides else None
            case ast.UnaryOp(operand=operand):
                return self.is_a(operand)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
                return TENSOR if self.is_a(left) == TENSOR else None
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_a(body) or self.is_a(orelse)
            case ast.Call():
                return self.types.get(id(node))
            case _:
                return None

    def annotated(self, node: ast.expr | None) -> str | None:
        """What an annotation says; `Optional[Tensor]` and `Tensor | None` are tensors."""
        if node is None:
            return None
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return self.annotated(ast.parse(node.value, mode="eval").body)
            except SyntaxError:
                return None
        words = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        words |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
        words -= {"Optional", "Union", "torch", "None", "np", "typing", "numpy"}
        if words and words <= {"Tensor", "FloatTensor", "LongTensor", "BoolTensor", "IntTensor"}:
            return TENSOR
        return OTHER if words & NO_TENSOR_TYPES and "Tensor" not in words else None

    def bind(self, target: ast.expr, kind: str | None) -> None:
        match target:
            case ast.Name(id=name):
                self.known[-1][name] = kind
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for one in targets:
                    self.bind(one, None)
            case _:
                pass

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            alias = self.dotted(node.value)
            if isinstance(target, ast.Name) and alias and alias.startswith("torch."):
                self.imports[-1][target.id] = alias
            elif isinstance(target, ast.Name) and len(self.imports) > 1:  # at the top it is `except ImportError: torch = None`
                self.imports[-1][target.id] = ""
            self.bind(target, self.is_a(node.value))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.generic_visit(node)
        self.bind(node.target, self.annotated(node.annotation) or self.is_a(node.value))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.generic_visit(node)
        self.bind(node.target, self.is_a(node.value))

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.bind(node.target, TENSOR if self.is_a(node.iter) == TENSOR else None)
        for part in [*node.body, *node.orelse]:
            self.visit(part)

    # Scopes

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.known[-1][node.name] = OTHER
        for part in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(part)
        self.members.append({})
        for part in ast.walk(node):  # attributes of self that are bound to the call of a class somewhere in this one
            if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call) and self.constructs(part.value):
                for target in part.targets:
                    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
                        self.members[-1][target.attr] = OTHER
        for part in node.body:
            self.visit(part)
        self.members.pop()

    def constructs(self, call: ast.Call) -> bool:
        """Whether the callee is spelled as a class, other than a tensor's or a parameter's."""
        last = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""
        return last[:1].isupper() and not last.endswith(("Tensor", "Parameter", "Buffer"))

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.known[-1][node.name] = OTHER
        for decorator in node.decorator_list:
            self.visit(decorator)
        parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        # A parameter shadows an import of that name, and what the enclosing function knew of it.
        self.imports.append({one.arg: "" for one in parameters})
        self.known.append({one.arg: self.annotated(one.annotation) for one in parameters})
        for part in node.body:
            self.visit(part)
        self.imports.pop()
        self.known.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.function(node)

    # Calls

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        dotted = self.dotted(node.func)
        if dotted is not None:
            self.types[id(node)] = self.dotted_call(dotted)
        elif isinstance(node.func, ast.Attribute):
            self.types[id(node)] = self.method_call(node.func)
        elif self.constructs(node) or (isinstance(node.func, ast.Name) and node.func.id in NO_TENSOR_BUILTINS):
            self.types[id(node)] = OTHER

    def dotted_call(self, dotted: str) -> str | None:
        if not dotted.startswith("torch."):
            return OTHER if dotted.partition(".")[0] in FOREIGN or dotted.rpartition(".")[2][:1].isupper() else None
        name = canonical(dotted)
        self.found.append(name)
        space, _, last = name.rpartition(".")
        if last.endswith(("Tensor", "Parameter", "Buffer")) or space in ("torch.nn.functional", "torch.special"):
            return TENSOR
        return OTHER if last in NO_TENSOR or last[:1].isupper() or name.startswith(NO_TENSOR_SPACES) else TENSOR

    def method_call(self, callee: ast.Attribute) -> str | None:
        kind = self.is_a(callee.value)
        if callee.attr not in TENSOR_METHODS or kind == OTHER or (callee.attr in COMMON and kind != TENSOR):
            return None
        self.found.append(f"torch.Tensor.{callee.attr}")
        return OTHER if callee.attr in NO_TENSOR else None if callee.attr in SEVERAL else TENSOR


def sources(package: str) -> Iterator[tuple[str, str]]:
    """The Python files of a package's wheel, downloaded when it is not there yet."""
    found = sorted(WHEELS.glob(f"{package}-*.whl"))
    if not found:
        WHEELS.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(WHEELS), package], check=True)
        found = sorted(WHEELS.glob(f"{package}-*.whl"))
    with zipfile.ZipFile(found[-1]) as wheel:
        for path in sorted(wheel.namelist()):
            if path.endswith(".py"):
                yield path, wheel.read(path).decode()


def count(package: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for path, text in sources(package):
        calls = Calls()
        calls.visit(ast.parse(text, path))
        counts.update(calls.found)
    return counts


def no_shape_patterns() -> dict[str, str]:
    """The reviewed list: a pattern and why it touches no shape."""
    rows = (line.partition("#") for line in NO_SHAPE.read_text().splitlines() if line.strip() and not line.startswith("#"))
    return {pattern.strip(): reason.strip() for pattern, _, reason in rows}


def spelling_test() -> Callable[[str], bool] | None:
    try:
        return importlib.import_module("tensorproof.bindings.call").spelled
    except (ImportError, AttributeError):
        return None


def modelled(name: str) -> bool:
    return registry.function(name) is not None or registry.class_model(name) is not None


def kind(name: str, spelled: Callable[[str], bool] | None, patterns: list[str]) -> str:
    if spelled is not None and spelled(name):
        return "spelled"
    if modelled(name):
        return "modelled"
    return "no shape" if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns) else "neither"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--names", type=Path, help="write every name with its count to this file")
    parser.add_argument("--top", type=int, default=40, help="how many names with neither to list (0: all)")
    arguments = parser.parse_args()
    counts = {package: count(package) for package in PACKAGES}
    total = sum(counts.values(), Counter[str]())
    if arguments.names:
        ordered = sorted(total.items(), key=lambda item: (-item[1], item[0]))
        arguments.names.write_text("".join(f"{number} {name}\n" for name, number in ordered))
    spelled, patterns = spelling_test(), list(no_shape_patterns())
    if spelled is None:
        print("tensorproof.bindings.call.spelled is not there: every name counts as unspelled", file=sys.stderr)
    kinds = {name: kind(name, spelled, patterns) for name in total}
    print(f"{'package':14}{'call sites':>12}{'names':>8}{'spelled':>10}{'modelled':>10}{'no shape':>10}{'neither':>10}")
    for package, found in [*counts.items(), ("all", total)]:
        sites = found.total()
        fractions = [sum(number for name, number in found.items() if kinds[name] == one) / sites for one in KINDS]
        print(f"{package:14}{sites:12}{len(found):8}" + "".join(f"{share:10.2%}" for share in fractions))
    rest = [(number, name) for name, number in total.most_common() if kinds[name] == "neither"]
    print(f"\nneither, by frequency ({len(rest)} names):")
    for number, name in rest[: arguments.top or None]:
        print(f"{number:8} {name}")
    return 1 if sum(number for number, _ in rest) > TARGET * total.total() else 0


if __name__ == "__main__":
    sys.exit(main())
