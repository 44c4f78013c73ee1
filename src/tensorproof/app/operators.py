"""The use case of `tensorproof ops`: what each operator takes, what must hold, where it is undefined, and how it is spelled."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections import defaultdict
from functools import cache
from typing import Any

from tensorproof import catalogue
from tensorproof.bindings import rows as tables
from tensorproof.catalogue.where import WHERE
from tensorproof.diagnostics.errors import BadInput
from tensorproof.ops.hazards import said
from tensorproof.ops.inputs import REQUIRED, Axes, Axis, Choice, Float, Int, Ints, Parameter, Sizes, Tensor, Tensors
from tensorproof.ops.layout import alternatives, ranks_in_words
from tensorproof.ops.record import Op
from tensorproof.terms.dtypes import ANY, in_words
from tensorproof.terms.records import dataclass

FRAMEWORKS = ("torch", "torch.nn", "aten", "tf", "keras", "numpy", "onnx", "graphdef")


@dataclass(frozen=True, slots=True)
class Described:
    op: Op
    inputs: list[str]
    attributes: list[str]
    requirements: list[tuple[str, str]]
    hazards: list[str]
    spellings: dict[str, list[str]]
    family: str = ""
    """The folder of the catalogue that declares it."""


def home_of(spelling: str) -> str:
    """The framework, or for layers the module, that a spelling belongs to."""
    if spelling.startswith("torch.nn.") and not spelling.startswith(("torch.nn.functional.", "torch.nn.utils.")):
        return "torch.nn"
    return spelling.partition(".")[0]


@cache
def spellings_by_op() -> dict[str, dict[str, list[str]]]:
    """op → framework → spellings."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for library in sorted(set(tables.LIBRARIES.values())):
        for name in tables.names(library):
            for op in dict.fromkeys(row.op for row in tables.rows(name)):
                found[op][home_of(name)].append(name)
    return found


def describe(op: Op) -> Described:
    by_framework = spellings_by_op().get(op.name, {})
    return Described(
        op,
        [_input(p) for p in op.inputs],
        [_attribute(p) for p in op.attributes],
        requirements(op),
        [f"{h.code}: {h.yields} unless {said(h)}" for h in op.hazards],
        {f: sorted(by_framework.get(f, [])) for f in FRAMEWORKS},
        WHERE.get(op.name, "other").partition(".")[0],
    )


def find(name: str) -> list[Op]:
    """The operators of this name, or those that a spelling of this name stands for."""
    op = catalogue.find(name)
    if op is not None:
        return [op]
    by_spelling = [found for row in tables.rows(name) if (found := catalogue.find(row.op)) is not None]
    if by_spelling:
        return list(dict.fromkeys(by_spelling))
    from difflib import get_close_matches

    known = [*catalogue.everything(), *(n for library in sorted(set(tables.LIBRARIES.values())) for n in tables.names(library))]
    short: dict[str, str] = {}
    for one in known:
        short.setdefault(one.rpartition(".")[2].lower(), one)
    by_last_word = [short[s] for s in get_close_matches(name.rpartition(".")[2].lower(), short, 3, 0.6)]
    near = list(dict.fromkeys([*get_close_matches(name, known, 3, 0.6), *by_last_word]))
    hint = f"; the closest are {', '.join(near[:4])}" if near else ""
    raise BadInput(f"there is no operator or spelling named {name}{hint}")


def everything() -> list[Op]:
    return [op for _, op in sorted(catalogue.everything().items())]


# --- in words ---


def _input(p: Tensor | Tensors) -> str:
    several = "list of " if isinstance(p, Tensors) else ""
    optional = ", optional" if p.optional else ""
    return f"{p.name}: {several}({p.layout}), {in_words(p.dtypes)}{optional}"


def _attribute(p: Parameter) -> str:
    kind = type(p).__name__.lower()
    extra = ""
    if isinstance(p, Choice):
        extra = " of " + ", ".join(map(repr, p.options))
    least, most = getattr(p, "least", None), getattr(p, "most", None)
    extra += f" ≥ {least}" if least is not None else ""
    extra += f" ≤ {most}" if most is not None else ""
    default = getattr(p, "default", REQUIRED)
    return f"{p.name}: {kind}{extra}" + ("" if default is REQUIRED else f" = {default!r}")


def requirements(op: Op) -> list[tuple[str, str]]:
    """(code, sentence) of everything that a call can be refused for: from the declaration, then from the words of its rule."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    for p in op.inputs:
        if not all(a.open and not a.least for a in alternatives(p.layout)):
            found.setdefault(f"{op.name}/rank", f"{p.name} has {ranks_in_words(p.layout)} dimensions")
        if p.dtypes is not ANY:
            found.setdefault(f"{op.name}/dtype", f"the dtype of {p.name} is {in_words(p.dtypes)}")
        for option in alternatives(p.layout):
            for axis in (*option.before, *option.after):
                if axis in seen and axis != "_":
                    found.setdefault(f"{op.name}/{op.codes.get(axis, axis.lower())}", f"axis {axis} has the same size in all inputs that name it")
        for option in alternatives(p.layout):
            seen |= {*option.before, *option.after}
    for attribute in op.attributes:
        match attribute:
            case Axis() | Axes():
                found.setdefault(f"{op.name}/axis", f"{attribute.name} is an axis of {attribute.of}")
            case Int() | Float() | Sizes() | Ints() if getattr(attribute, "least", None) is not None:
                found.setdefault(f"{op.name}/{attribute.name}", f"{attribute.name} is at least {attribute.least}")
            case Choice():
                found.setdefault(f"{op.name}/{attribute.name}", f"{attribute.name} is one of {', '.join(map(repr, attribute.options))}")
            case _:
                pass
    if callable(op.shape):
        for code, sentence in stated_in(op.shape):
            found.setdefault(code if "/" in code else f"{op.name}/{code}", _plain(code, sentence))
    return list(found.items())


def _plain(code: str, sentence: str) -> str:
    """What a rule asks for, as a statement: that of the code's last word where there is one, else the rule's own without the numbers of a call."""
    word = code.rpartition("/")[2]
    own = re.sub(r",? (?:and|it) (?:is|are|has|have)(?: …)?$", "", re.sub(r"\{[^{}]*\}", "…", sentence))
    return STATEMENTS.get(word) or own or f"{word} goes with the other arguments"


STATEMENTS = {
    "broadcast": "sizes are equal, or one of them is 1", "channels": "the input has as many channels as the weight takes",
    "features": "the input has as many features as the layer takes", "kernel": "the kernel, with its dilation, is not larger than the padded input",
    "groups": "the number of groups divides the channels", "numel": "the new shape has as many elements as the tensor",
    "strides": "the tensor lies in memory in an order that the view can describe", "inner": "the axes that are summed over have the same size",
    "batch": "the batch axes have the same size", "square": "the matrix is square", "range": "every index is inside of its axis",
    "index": "every index is below the number of rows", "target": "the target has the shape and dtype that the prediction asks for",
    "inplace": "the target of an in-place operation keeps its shape and dtype", "empty": "no axis is empty where at least one element is needed",
    "size": "sizes agree on all axes that are not joined or changed", "bias": "the bias has one element for each output",
    "running": "running_mean and running_var are given together, with one element for each channel",
    "weight": "the weight has the shape that the input asks for",
    "heads": "the number of heads divides the features", "lengths": "there is one length for each sequence, and none is longer than the input",
    "state": "the state has the shape (layers × directions, batch, hidden)", "mask": "the mask broadcasts to the scores or to the tensor that it selects from",
    "shape": "the shapes are equal", "scalar": "the tensor has exactly one element", "elements": "the numbers of elements are equal",
    "rows": "the numbers of rows are equal", "axes": "each axis is named once, and is one of the tensor's",
}  # fmt: skip
"""Requirements as statements, by the last word of their code."""


def stated_in(rule: Any, depth: int = 3) -> list[tuple[str, str]]:
    """The requirements that a rule's own text states, and those of the functions of its module that it calls."""
    try:
        source = textwrap.dedent(inspect.getsource(rule))
        tree = ast.parse(source[source.index("lambda") :].rstrip().rstrip(",)") if source.lstrip().startswith(("shape=", "lambda")) else source)
    except (OSError, TypeError, SyntaxError, ValueError):
        return []
    names = {**getattr(rule, "__globals__", {}), **_closure(rule)}
    found: list[tuple[str, str]] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("require", "equal", "refuse") and node.args:
            code = _words(node.args[0])
            message = _words(node.args[-1] if node.func.attr == "equal" else node.args[min(len(node.args) - 1, 1 if node.func.attr == "refuse" else 2)])
            if node.func.attr == "equal" and len(node.args) >= 4:
                message = _words(node.args[3])
            if code and "{" not in code:
                found.append((code, message))
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "broadcast":
            found.append(("broadcast", "sizes must be equal, or one of them 1"))
        elif isinstance(node.func, ast.Name) and depth and inspect.isfunction(names.get(node.func.id)):
            found += stated_in(names[node.func.id], depth - 1)
    return found


def _closure(rule: object) -> dict[str, Any]:
    cells = getattr(rule, "__closure__", None) or ()
    return {n: c.cell_contents for n, c in zip(rule.__code__.co_freevars, cells) if c is not None} if hasattr(rule, "__code__") else {}


def _words(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(p.value) if isinstance(p, ast.Constant) else "{" + ast.unparse(getattr(p, "value", p)) + "}" for p in node.values)
    return ""
