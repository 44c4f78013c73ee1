"""NumPy's names that are not operators: arrays of images and of texts, files, random generators, settings."""

from __future__ import annotations

import ast
import math
from functools import partial
from typing import Any

from tensorproof.libraries import KindModel, Run, argument
from tensorproof.libraries.domains import label_ranges
from tensorproof.libraries.model import Open
from tensorproof.libraries.python.random import shuffle
from tensorproof.libraries.python.storage.saved_values import load, save_array
from tensorproof.libraries.sequences import sequence
from tensorproof.libraries.torchvision.pillow import array_of, is_image
from tensorproof.libraries.whole_numbers import between, exact_size, number_of
from tensorproof.terms import BOOL, BY_LABEL, Dim, DType, Origin, Shape, TensorType, Term, eq, open_shape
from tensorproof.values import MISSING, TEXT, Args, Choice, Key, Kwargs, List, Machine, Model, Unknown, Value, is_summarised, slot
from tensorproof.values.python_values import ARRAYS
from tensorproof.values.summaries import length, shown

_ARRAYS = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray")


def _array(name: str, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = args[0] if args else kwargs.get("object", kwargs.get("a"))
    if isinstance(given, Choice):
        then, other = ((side, *args[1:]) for side in (given.then, given.other))
        return m.branching.choose(given.condition, lambda: _array(name, m, then, kwargs, node), lambda: _array(name, m, other, kwargs, node))
    if is_image(given):
        return _typed(m, array_of(m, given, node), args[1] if len(args) > 1 else kwargs.get("dtype"), node)
    if isinstance(given, List) and given.items and all(map(is_image, given.items)):
        args = (List(m.heap.row(array_of(m, i, node) for i in given.items if isinstance(i, Model))), *args[1:])
    if isinstance(given, Unknown):
        dtype = argument(args, kwargs, 1, "dtype")
        if isinstance(dtype, DType) and not given.number and not given.text:
            return TensorType(open_shape(m.name_here("array", node)), dtype, framework="numpy")
        return Unknown("an array of values that are not known")
    fields = argument(args, kwargs, 1, "dtype")
    if isinstance(fields, List) or (isinstance(fields, str) and "," in fields):
        return m.gap(f"numpy.{name}", node, "the elements have fields")
    if isinstance(given, Model) and given.kind in ("torchvision.labels", "pandas.Series", "pandas.DataFrame"):
        return _typed(m, _from_model(m, given, node), args[1] if len(args) > 1 else kwargs.get("dtype"), node)
    numbers = given.items if isinstance(given, List) and not is_summarised(given.items) else ()
    if any(isinstance(v, Unknown) for v in numbers) and not any(isinstance(v, (TensorType, List)) for v in numbers):
        dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
        if isinstance(dtype, DType):  # numbers from outside, one for each item
            return TensorType(Shape((len(numbers),)), dtype, framework="numpy")
    texts = of_list(m, given)
    if texts is not None:
        dtype = argument(args, kwargs, 1, "dtype")
        return texts if dtype is None else m.call(m.attribute(texts, "astype", node), (dtype,), {}, node)
    sizes = _texts(given) if isinstance(given, List) else None
    if sizes is not None:
        return TensorType(Shape(sizes), BY_LABEL["string"], framework="numpy")
    return m.spelling(f"numpy.{name}", args, kwargs, node)


def _texts(value: Value) -> tuple[int, ...] | None:
    """The shape of nested lists of texts of one length; None for anything else."""
    if isinstance(value, str) or (isinstance(value, Unknown) and value.text):
        return ()
    items = value.items if isinstance(value, List) else value if type(value) is tuple else ()
    inner = {_texts(item) for item in items}
    found = inner.pop() if len(inner) == 1 else None
    return None if found is None else (len(items), *found)


def _typed(m: Machine, array: Value, dtype: Value, node: ast.AST) -> Value:
    if isinstance(dtype, str) or dtype is float or dtype is int:
        dtype = BY_LABEL.get({"float": "float64", "int": "int64"}.get(dtype, dtype) if isinstance(dtype, str) else "float64" if dtype is float else "int64")
    if not isinstance(dtype, DType):
        return array
    if isinstance(array, Choice):
        return m.branching.choose(array.condition, lambda: _typed(m, array.then, dtype, node), lambda: _typed(m, array.other, dtype, node))
    return array.but(dtype=dtype) if isinstance(array, TensorType) else array


def _from_model(m: Machine, given: Model, node: ast.AST) -> Value:
    if given.kind == "torchvision.labels":
        return TensorType(Shape((given.space["count"],)), BY_LABEL["int64"], framework="numpy") if not given.space.get("pairs") else Unknown("pairs")
    return m.call(m.attribute(given, "to_numpy", node), (), {}, node)


def unknown_array(m: Machine, node: ast.AST) -> Value:
    """An array from a file: neither its rank nor its element type is known."""
    return TensorType(open_shape(m.name_here("array", node)), None, framework="numpy")


def _load(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    path = args[0] if args else kwargs.get("file")
    if isinstance(path, str) and path.endswith(".npz"):
        return Model("numpy.NpzFile", m.heap.space())
    return unknown_array(m, node) if isinstance(path, str) and path.endswith(".npy") else Unknown(ARRAYS)


def _mapped(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """An array that is a file's bytes: one row of as many elements as the file holds, or of the shape that is asked for."""
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype", BY_LABEL["uint8"])
    shape = kwargs.get("shape")
    if isinstance(dtype, str):
        dtype = BY_LABEL.get(dtype)
    if not isinstance(dtype, DType) or "count" in kwargs or not (shape is None or isinstance(shape, (tuple, int))):
        return Unknown("an array from a file")
    if shape is None:
        name = args[0] if args and isinstance(args[0], str) else m.name_here("file", node)
        shape = m.symbol(f"len({name})", 1, None, Origin.USER)
    return TensorType(Shape(shape if isinstance(shape, tuple) else (shape,)), dtype, framework="numpy")


def _randint(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """One whole number is a number between the bounds; an array keeps them for what is read from it."""
    low, high, size = argument(args, kwargs, 0, "low"), argument(args, kwargs, 1, "high"), argument(args, kwargs, 2, "size")
    made = m.spelling("numpy.random.randint", args, kwargs, node)
    first, past = (0, exact_size(low)) if high is None else (exact_size(low), exact_size(high))
    if not isinstance(made, TensorType) or first is None or past is None:
        return made
    if size is None:
        return between(m, "randint", first, past - 1, node)
    return label_ranges.note(m, made, first, past)


def _drawn(name: str, m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A generator's method is the function of numpy.random of that name."""
    dtype = kwargs.pop("dtype", None) if name != "randint" else None
    if name == "randint" and "endpoint" not in kwargs and "dtype" not in kwargs:
        return _randint(m, args, kwargs, node)
    kwargs.pop("endpoint", None)
    kwargs.pop("shuffle", None)
    if name == "permutation":
        kwargs.pop("axis", None)  # whichever it is, the shape stays
    elif name == "choice" and ("axis" in kwargs or _has_rows(args[0] if args else kwargs.get("a"))):
        return m.gap("numpy.random.Generator.choice", node, "rows of an array are drawn")
    return _typed(m, m.spelling(f"numpy.random.{name}", args, kwargs, node), dtype, node)


def _has_rows(value: Value) -> bool:
    """Whether an array, or a list of lists, has more than one axis."""
    if isinstance(value, TensorType):
        return not value.shape.known or len(value.shape) > 1
    return isinstance(value, List) and any(isinstance(one, (List, tuple, TensorType)) for one in value.items)


def _at(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`np.add.at(a, indices, b)`: what an assignment to these places demands."""
    if len(args) > 2 and isinstance(args[0], TensorType):
        m.spelling("numpy.ndarray.__setitem__", args[:3], {}, node)
    elif not args or not isinstance(args[0], Unknown):
        m.gap("numpy.ufunc.at", node, "its arguments are not known")


def _item(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`a.item()` of one element, or of the place that is given."""
    array = args[0]
    if len(args) > 1:
        flat = len(args) == 2 and not isinstance(args[1], tuple)
        place = args[1] if len(args) == 2 else args[1:]
        array = m.item(m.spelling("numpy.ndarray.reshape", (array, -1), {}, node) if flat else array, place, node)
    if not isinstance(array, TensorType):
        return array
    m.demand("ValueError", eq(array.shape.numel, 1), f"item needs an array of one element, this one has shape {array.shape!r}", node)
    return array.contents[0] if array.contents is not None and len(array.contents) == 1 else number_of(m, array, node)


def _in_place(m: Machine, args: tuple[Any, ...], kwargs: Kwargs, node: ast.AST) -> None:
    """fill, sort, partition and their like change what an array holds."""
    m.memory.write(args[0])


_RANDOM = (
    "random", "normal", "standard_normal", "uniform", "randint", "choice", "permutation", "rand", "randn", "poisson", "binomial", "beta", "dirichlet", "gamma",
    "exponential", "random_sample", "laplace", "lognormal",
)  # fmt: skip
FUNCTIONS: dict[str, Run] = {
    "numpy.ndarray": lambda m, a, k, n: m.spelling("numpy.empty", a[:2], {w: v for w, v in k.items() if w in ("shape", "dtype")}, n),
    **{f"numpy.{n}": partial(_array, n) for n in _ARRAYS}, "numpy.load": partial(load, "npy", "file", _load), "numpy.save": save_array, "numpy.memmap": _mapped,
    "numpy.fromfile": _mapped, "numpy.random.shuffle": shuffle, "numpy.random.randint": _randint,
    "numpy.random.Generator": lambda m, a, k, n: Model("numpy.random.Generator", m.heap.space()),
    "numpy.ndarray.item": _item, **{f"numpy.ndarray.{n}": _in_place for n in ("fill", "sort", "partition")},
    **{f"numpy.{n}.at": _at for n in ("add", "subtract", "multiply", "maximum", "minimum")},
}  # fmt: skip
VALUES: dict[str, Any] = {"numpy.Inf": math.inf, "numpy.NaN": math.nan, "numpy.infty": math.inf}


KINDS = {
    "numpy.NpzFile": KindModel(item=lambda m, me, index, node: unknown_array(m, node), open=True, enter=lambda m, me, node: me),
    "numpy.random.Generator": KindModel({**{n: partial(_drawn, n) for n in _RANDOM}, "integers": partial(_drawn, "randint"),
        "shuffle": lambda m, me, a, k, n: shuffle(m, a, k, n)},
        open=True),
}  # fmt: skip


LENGTH: Key[Dim] = slot("length")
STRING = BY_LABEL["string"]
_MOST_ITEMS = 4096


def is_text(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, Unknown) and value.text)


def texts(m: Machine, count: Value) -> Model:
    """An array of so many texts."""
    return Model("texts", m.heap.space({"length": count}))


def of_list(m: Machine, given: Value) -> Model | None:
    """The array of a list of texts, summarised or not; None for any other value."""
    if isinstance(given, Model) and given.kind == "texts":
        return texts(m, given.space[LENGTH])
    if not isinstance(given, List) or not given.items or not all(map(is_text, shown(given.items))):
        return None
    count = length(given.items)
    return None if isinstance(count, Unknown) else texts(m, count)


def _text_item(m: Machine, me: Model, index: Value, node: ast.AST) -> Value:
    """An item, or a part, of an array of texts: what the same index gives of an array of that length."""
    if isinstance(index, Unknown) and index.number:
        return TEXT
    part = m.item(TensorType(Shape((me.space[LENGTH],)), STRING, framework="numpy"), index, node)
    if not isinstance(part, TensorType) or not part.shape.known or len(part.shape) > 1:
        return part if isinstance(part, Unknown) else m.gap("x[…]", node, "of an array of texts")
    return texts(m, part.shape[0]) if part.shape else TEXT


def _binary(m: Machine, word: str, a: Value, b: Any, node: ast.AST) -> Value:
    """`x == "a"` is one truth value for each text; `+` joins texts."""
    me, other = (a, b) if isinstance(a, Model) and a.kind == "texts" else (b, a)
    count = me.space[LENGTH]
    listed = of_list(m, other)
    if listed is not None:
        m.demand("ValueError", eq(count, listed.space[LENGTH]), f"arrays of {count!r} and {listed.space[LENGTH]!r} texts are not compared one by one", node)
    elif not is_text(other):
        return MISSING
    if word in ("eq", "ne", "lt", "le", "gt", "ge"):
        return m.memory.made(TensorType(Shape((count,)), BOOL, framework="numpy"))
    return texts(m, count) if word == "add" else MISSING


def _astype(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    wanted = args[0] if args else kwargs.get("dtype")
    if wanted is str:
        return texts(m, me.space[LENGTH])
    wanted = {float: BY_LABEL["float64"], int: BY_LABEL["int64"]}.get(wanted, wanted) if isinstance(wanted, type) else wanted
    if isinstance(wanted, DType) and wanted.kind in "iuf":  # the texts are taken to be numbers
        return m.memory.made(TensorType(Shape((me.space[LENGTH],)), wanted, framework="numpy"))
    return Unknown("an array of texts")


def _counted(me: Model) -> bool:
    count = me.space[LENGTH]
    return isinstance(count, int) and count <= _MOST_ITEMS


KINDS |= {
    "texts": KindModel(
        {
            "tolist": lambda m, me, a, k, n: sequence(m, me.space[LENGTH], TEXT, TEXT), "astype": _astype,
            "copy": lambda m, me, a, k, n: texts(m, me.space[LENGTH]),
        },
        item=_text_item,
        attribute=lambda m, me, name, n: {"shape": (me.space[LENGTH],), "size": me.space[LENGTH], "ndim": 1}.get(name, MISSING),
        binary=_binary, length=lambda m, me, node: me.space[LENGTH],
        items=lambda m, me, node: [TEXT] * me.space[LENGTH] if _counted(me) else None,
        iterations=lambda m, me, node: Open(me.space[LENGTH], lambda k: TEXT, 1) if isinstance(me.space[LENGTH], Term) else None,
    ),
}  # fmt: skip
