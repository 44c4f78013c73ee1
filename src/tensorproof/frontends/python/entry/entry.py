"""Enters a module of the program that is not called: constructs it and runs its forward with inputs of chosen ranks.

Sizes are symbols of origin *user*: what the module demands of them is its contract.
"""

from __future__ import annotations

import ast
import re
from itertools import product
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.calls.classes import cls_is
from tensorproof.frontends.python.entry.annotations import states_shapes
from tensorproof.frontends.python.entry.inputs import Input
from tensorproof.frontends.python.errors import Dead, Raised
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.dtypes import FLOAT32, INT64
from tensorproof.terms.ints import Origin, symbol
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Class, Function
from tensorproof.values.path import Path
from tensorproof.values.python_values import Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

AXES = {1: ("N",), 2: ("N", "F"), 3: ("N", "L", "F"), 4: ("N", "C", "H", "W"), 5: ("N", "C", "D", "H", "W"), 0: ()}
RANKS = (4, 3, 2, 5, 1)
MOST_TRIES = BUDGETS.exploration.tries_of_entry
WHOLE = ("token", "label", "target", "index", "indices", "ids", "idx", "word", "source")
"""Names of inputs that most likely hold whole numbers."""


@dataclass(slots=True)
class Entered:
    """One way a module can be called: its inputs, the path it leaves, and what comes out."""

    name: str
    inputs: dict[str, TensorType] = field(default_factory=dict[str, TensorType])
    output: Value = None
    path: Path = field(default_factory=Path)
    failed: bool = False


def module_classes(m: Interpreter) -> list[Class]:
    """The nn.Module classes that the main file itself defines, in order."""
    return [value for value in m.modules.main.space.values() if isinstance(value, Class) and value.module is m.modules.main and registry_is_module(m, value)]


def entries(m: Interpreter) -> list[Class | Function]:
    """What can be entered: the modules, and the functions whose annotations tell the shapes of their arguments."""
    functions = [v for v in m.modules.main.space.values() if isinstance(v, Function) and v.module is m.modules.main and states_shapes(v.code.node)]
    return [*module_classes(m), *functions]


def called(m: Interpreter, entry: Class | Function) -> Value:
    """The function that takes an entry's inputs."""
    return entry if isinstance(entry, Function) else m.in_class(entry, "forward")


def tensors_of(m: Interpreter, entry: Class | Function) -> list[ast.arg]:
    """The arguments that are tensors, as far as annotations tell."""
    return [a for a in parameters(called(m, entry), isinstance(entry, Class)) if _plain_word(a) not in _PLAIN]


_PLAIN = ("int", "bool", "float", "str")
_RATES = r"(\w+_)?(drop|dropout|droprate|prob|p|alpha|eps|epsilon|momentum)(_?rate|_?prob|_p)?|(drop|dropout|learning)_?\w*rate"
"""Names of arguments that most likely hold a part of one."""


def _plain_word(argument: ast.arg) -> str:
    return ast.unparse(argument.annotation) if argument.annotation is not None else ""


def registry_is_module(m: Interpreter, cls: Class) -> bool:
    from tensorproof.values.python_values import Named

    return cls_is(cls, Named("torch.nn.Module")) and m.in_class(cls, "forward") is not MISSING


def parameters(function: Value, method: bool = True) -> list[ast.arg]:
    """The arguments of a function that have no default, a method's `self` left aside."""
    if not isinstance(function, Function):
        return []
    a = function.code.node.args
    positional = [*a.posonlyargs, *a.args][1 if method else 0 :]
    required = len(positional) - len(function.defaults)
    return [*positional[: max(0, required)], *(k for k in a.kwonlyargs if k.arg not in function.keyword_defaults)]


def constructor_value(m: Interpreter, argument: ast.arg, owner: str) -> Value:
    """A value for a constructor's argument: by its annotation, else a whole number."""
    words = ast.unparse(argument.annotation) if argument.annotation is not None else ""
    if words in ("bool",):
        return m.open_truth(f"{owner}.{argument.arg}", argument)
    if words in ("float",) or (not words and re.fullmatch(_RATES, argument.arg)):
        return 0.1
    if words in ("str",):
        return Unknown(argument.arg)
    if words in ("", "int") and not any(
        w in argument.arg for w in ("layer", "block", "module", "config", "cfg", "args", "opt", "norm", "activation", "device")
    ):
        return symbol(argument.arg, 1, None, Origin.USER)
    return Unknown(argument.arg)


def enter(m: Interpreter, entry: Class | Function, choice: dict[str, Input]) -> Entered:
    """Construct the module and call it once, or call the function."""
    node = ast.copy_location(ast.Call(ast.Name(entry.name, ast.Load()), [], []), _place(entry))
    ast.fix_missing_locations(node)
    result = Entered(entry.name)
    try:
        instance: Value = entry
        if isinstance(entry, Class):
            instance = m.call(entry, (), {a.arg: constructor_value(m, a, entry.name) for a in parameters(m.in_class(entry, "__init__"))}, node)
        tensors = tensors_of(m, entry)
        for argument in tensors:
            chosen = choice.get(argument.arg, Input(2))
            result.inputs[argument.arg] = tensor(argument.arg, chosen, len(tensors) > 1)
        others = {a.arg: constructor_value(m, a, entry.name) for a in parameters(called(m, entry), isinstance(entry, Class)) if a.arg not in result.inputs}
        result.output = m.call(instance, (), {**result.inputs, **others}, node)
    except Raised as raised:
        m.uncaught(raised)
        result.failed = True
    except Dead:
        result.failed = True
    result.path = m.path
    return result


def tensor(name: str, chosen: Input, several: bool) -> TensorType:
    labels = AXES.get(chosen.rank) or tuple(f"D{i}" for i in range(chosen.rank))
    sizes: list[Value] = []
    for i, label in enumerate(labels):
        given = chosen.sizes[i] if chosen.sizes is not None else None
        shared = f"{name}.{label}" if several else label
        sizes.append(given if isinstance(given, int) else size(given or shared))
    return TensorType(Shape(sizes), chosen.dtype)


def size(text: str) -> Value:
    """A size by its name, or by a sum or product of names (`2*c`)."""

    def read(node: ast.AST) -> Any:
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                a, b = read(left), read(right)
                return a + b if isinstance(op, ast.Add) else a - b if isinstance(op, ast.Sub) else a * b if isinstance(op, ast.Mult) else a // b
            case ast.Constant(value=int() as value):
                return value
            case _:
                return symbol(ast.unparse(node), 1, None, Origin.USER)

    return symbol(text, 1, None, Origin.USER) if not any(c in text for c in "+-*/") else read(ast.parse(text, mode="eval").body)


def line_of(entry: Class | Function) -> int:
    if isinstance(entry, Function):
        return entry.code.node.lineno
    return entry.span.line if entry.span is not None else 1


def _place(entry: Class | Function) -> ast.AST:
    here = ast.Pass()
    here.lineno = here.end_lineno = line_of(entry)
    here.col_offset = here.end_col_offset = 0
    return here


def choices(names: list[str], given: dict[str, Input]) -> list[dict[str, Input]]:
    """Ranks and element types to try, the likeliest first; what the user gave is kept."""
    free = [n for n in names if n not in given]
    found: list[dict[str, Input]] = []
    types = [(INT64, FLOAT32) if any(w in n.lower() for w in WHOLE) else (FLOAT32, INT64) for n in free]
    for picks in sorted(product((0, 1), repeat=len(free)), key=lambda p: (sum(p), len(set(p)))):
        for ranks in sorted(product(range(len(RANKS)), repeat=len(free)), key=lambda r: (len(set(r)), sum(r))):
            found.append({**given, **{n: Input(RANKS[r], t[p]) for n, r, t, p in zip(free, ranks, types, picks)}})
            if len(found) >= MOST_TRIES:
                return found
    return found
