"""What a row itself says of its arguments: their kinds (`takes=`), and the application of operators that it spells (`as=`)."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from tensorproof.bindings.modules import PREDICATES
from tensorproof.bindings.rows import literal, split
from tensorproof.ops import inputs
from tensorproof.ops.layout import value_of
from tensorproof.ops.session import python_number
from tensorproof.terms import dtypes as element_types
from tensorproof.terms.dtypes import BY_LABEL, DType
from tensorproof.terms.tensor import TensorType

if TYPE_CHECKING:
    from tensorproof.bindings.rows import Row
    from tensorproof.ops.inputs import Parameter
    from tensorproof.terms.ints import Dim
    from tensorproof.terms.predicates import Truth

_OWN = {
    **dict.fromkeys(("Whole", "Real", "Sized", "Listed", "Word", "LooseTensors", "Data", "Vector"), "numpy.arrays"),
    **dict.fromkeys(("Loosely", "Holes", "Nothing", "Among", "Window"), "tensorflow.shared"), "Target": "onnx.elements", "Only": "onnx.elements",
    "Limit": "numpy.creation", "Sequences": "torch.recurrence", "Loose": "torch.recurrence", "Padding": "tensorflow.windows",
    "States": "keras.sequences",
}  # fmt: skip
"""Kinds that one library has, by the file in `adapt` that defines them."""


@cache
def element_types_named(text: str) -> frozenset[DType]:
    """ "FLOATS+bool" → a set of element types."""
    found: frozenset[DType] = frozenset()
    for part in text.split("+"):
        found |= {BY_LABEL[part]} if part in BY_LABEL else getattr(element_types, part)
    return found


@cache
def kinds_in(text: str) -> dict[str, Parameter]:
    """`Tensor(x, "N M") Int(k, 0)` → the kinds of these arguments."""
    kinds = [_kind(part) for part in split(text, " ")]
    return {kind.name: kind for kind in kinds}


def _kind(text: str) -> Parameter:
    word, _, rest = text.removesuffix(")").partition("(")
    home = import_module(f"tensorproof.bindings.adapt.{_OWN[word]}") if word in _OWN else inputs
    name, *others = split(rest, ",")
    named = [other.partition("=")[::2] for other in others if _is_named(other)]
    given = [_field(other) for other in others if not _is_named(other)]
    made: Parameter = getattr(home, word)(name, *given, **{field: _field(value) for field, value in named})
    return made


def _is_named(text: str) -> bool:
    return text.partition("=")[0].isidentifier() and "=" in text


_WORDS: dict[str, object] = {"None": None, "True": True, "False": False, "0": 0, "1": 1, "REQUIRED": inputs.REQUIRED}


def _field(text: str) -> object:
    """A field of a kind: element types (`FLOATS`, `{int32+int64}`), a literal, kinds in turn, or no default."""
    if text.startswith("{"):
        return element_types_named(text[1:-1])
    if text in _WORDS:
        return _WORDS[text]
    if text.isidentifier() and text.isupper():
        return element_types_named(text)
    read: object = literal(text)
    if read != text or text[0] in "'\"":
        return read
    if text.startswith("("):
        return tuple(_field(part) for part in split(text[1:-1], ","))
    if text.endswith(")"):
        return _kind(text)
    return element_types_named(text)


class Applying(Protocol):
    """What applies operators: the `Run` of a call."""

    def __call__(self, op: str, **arguments: object) -> object: ...
    def typed(self, op: str, *dtypes: DType | None, **arguments: object) -> object: ...
    def known(self, op: str, a: Mapping[str, object]) -> dict[str, object]: ...


class Checking(Protocol):
    """What takes requirements: the `Run` of a call."""

    def require(self, code: str, predicate: Truth, message: str, about: tuple[str, ...] = ()) -> None: ...
    def give_up(self, why: str) -> Exception: ...


def _rank(value: object) -> int:
    assert isinstance(value, TensorType), "only a tensor has a rank"
    return len(value.shape)


def _several(value: object) -> bool:
    return isinstance(value, (tuple, list))


_NAMES: dict[str, object] = {**PREDICATES, "rank": _rank, "is_tensor": lambda value: isinstance(value, TensorType), "several": _several}


def check(row: Row, a: dict[str, object], run: Checking) -> None:
    """State what a row demands of a call beyond its operator (`require`, `same`), and give up where it says that nothing is known (`unknown`)."""
    names = {**_NAMES, **a}
    for code, predicate, sentence in row.checks:
        if code == "same":
            import_module("tensorproof.bindings.adapt.tensorflow.shared").same_types(run, a, *predicate.split())
            continue
        holds = value_of(predicate, names)
        if code != "unknown":
            about = tuple(sorted(set(re.findall(r"[a-z_]\w*", predicate)) & a.keys()))
            unknown = [name for name in about if isinstance(value := a[name], TensorType) and not value.shape.known]
            if holds is False and unknown and re.search(r"rank\(|\.shape\[", predicate):
                raise run.give_up("the rank is not known")
            run.require(code, holds, sentence.format(**a) if "{" in sentence and holds is not True else sentence, about)
        elif holds:
            raise run.give_up(sentence)


Applied = Callable[[Mapping[str, object], Applying], object]


@cache
def application(text: str, typed: str = "") -> Applied:
    """`mul(reciprocal(y), x)` → what applies these operators to the arguments. `typed` is the element type of the results by the library's own rule, and
    `typed=` in a call that of its own result."""
    return _compiled(ast.parse(text, mode="eval").body, ast.parse(typed, mode="eval").body if typed else None)


_PLACES = ("x", "y")
"""The operands that are given by place."""


def _compiled(node: ast.expr, typed: ast.expr | None = None) -> Applied:
    match node:
        case ast.Call(ast.Name("flat"), [of], []):
            whole = _compiled(of, typed)
            return lambda a, run: _flat(whole(a, run), run)
        case ast.Call(ast.Name(op), places, named):
            return _compiled_call(op, [*map(ast.keyword, _PLACES, places), *named], typed)
        case ast.Name(name):
            return lambda a, run: a[name] if name in a else BY_LABEL[name]
        case ast.Attribute(ast.Attribute(of, "dtype"), "real"):
            tensor = _compiled(of)
            return lambda a, run: None if (dtype := _dtype(tensor(a, run))) is None else dtype.real
        case ast.Attribute(of, "dtype"):
            tensor = _compiled(of)
            return lambda a, run: _dtype(tensor(a, run))
        case ast.Attribute(of, "shape"):
            tensor = _compiled(of)
            return lambda a, run: _sizes(tensor(a, run))
        case ast.Subscript(of, ast.Constant(int(at))):
            several = _compiled(of, typed)
            return lambda a, run: _part(several(a, run), at)
        case ast.BoolOp(ast.Or(), [first, second]):
            one, other = _compiled(first), _compiled(second)
            return lambda a, run: one(a, run) or other(a, run)
        case ast.IfExp(test, yes, no):
            asked, one, other = _compiled(test), _compiled(yes), _compiled(no)
            return lambda a, run: one(a, run) if asked(a, run) else other(a, run)
        case ast.Compare(left, [asked], [right]):
            one, other, compare = _compiled(left), _compiled(right), _COMPARISONS[type(asked)]
            return lambda a, run: compare(one(a, run), other(a, run))
        case ast.Tuple(items):
            parts = [_compiled(item) for item in items]
            return lambda a, run: tuple([part(a, run) for part in parts])
        case _:
            value: object = ast.literal_eval(node)
            return lambda a, run: value


_COMPARISONS: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def _compiled_call(op: str, keywords: list[ast.keyword], around: ast.expr | None) -> Applied:
    """`**given` adds every argument that the operator has; what is named beside it goes before."""
    given = {k.arg: _compiled(k.value, around) for k in keywords if k.arg is not None}
    every = len(given) < len(keywords)
    typed = given.pop("typed", None if around is None else _compiled(around))

    def arguments(a: Mapping[str, object], run: Applying) -> dict[str, object]:
        own = {name: value(a, run) for name, value in given.items()}
        return {**run.known(op, a), **own} if every else own

    if typed is None:
        return lambda a, run: run(op, **arguments(a, run))
    return lambda a, run: run.typed(op, _given_dtype(typed(a, run)), **arguments(a, run))


def _flat(value: object, run: Applying) -> object:
    """All elements as one vector."""
    x = value if isinstance(value, TensorType) else python_number(value)
    return x if x.shape.known and len(x.shape) == 1 else run("reshape", x=x, size=(x.shape.numel,))


def _dtype(value: object) -> DType | None:
    return value.dtype if isinstance(value, TensorType) else python_number(value).dtype


def _sizes(value: object) -> tuple[Dim, ...]:
    assert isinstance(value, TensorType), "only a tensor has a shape"
    return tuple(value.shape)


def _given_dtype(value: object) -> DType | None:
    assert value is None or isinstance(value, DType), "an element type is given, or not known"
    return value


def _part(value: object, at: int) -> object:
    assert isinstance(value, tuple), "an operator with several results"
    return value[at]
