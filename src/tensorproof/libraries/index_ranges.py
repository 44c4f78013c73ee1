"""torch's indices and labels: which numbers they hold, and where a number that they hold is too large or too small.

A range is kept only while both its ends are really there for some run: drawn numbers, the labels of a known dataset, all places of an axis. So an end that
lies outside is an error with that number as the witness. What may hold fewer numbers (a choice by value, a largest place) has no range.
"""

from __future__ import annotations

from typing import Any

from tensorproof.libraries import greatest, index_limits, whole_numbers
from tensorproof.libraries.label_ranges import note, of
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Dim, Origin, Term, sole_atom
from tensorproof.terms.predicates import Truth, conj, ge, implies, lt
from tensorproof.terms.substitution import symbols
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Dict, Instance, List, Model

_MOVED = frozenset({
    "view", "reshape", "permute", "t", "T", "mT", "unsqueeze", "squeeze", "contiguous", "clone", "detach", "expand", "expand_as", "repeat", "flip", "roll",
    "tile", "flatten", "movedim", "transpose", "from_numpy", "numpy", "as_tensor", "cpu", "cuda", "view_as", "reshape_as", "repeat_interleave", "ravel",
    "to", "long", "int", "short", "type", "float", "double", "pin_memory", "swapaxes", "asarray", "array", "tensor", "astype", "copy",
})  # fmt: skip
"""The same numbers in another place or form."""
_CUTS = frozenset(["narrow", "select", "split", "chunk", "unbind"])
_JOINED = frozenset(["cat", "concat", "stack", "hstack", "vstack", "concatenate"])
_PAIRS = {"__add__": "add", "__radd__": "add", "add": "add", "__sub__": "sub", "sub": "sub", "__mul__": "mul", "__rmul__": "mul", "mul": "mul",
          "__mod__": "mod", "remainder": "mod", "__floordiv__": "div", "fmod": ""}  # fmt: skip
_LOSSES = frozenset(["cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss", "NLLLoss2d"])
Range = tuple[Any, Any]


# --- which numbers a result holds ---


def follow(m: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
    """Called after every call of torch or NumPy that gave tensors."""
    word = name.rpartition(".")[2]
    greatest.follow(m, name, args, kwargs, result)
    whole_numbers.follow(m, word, args, result)
    index_limits.follow(m, word, args, kwargs, result)
    if word in ("randint", "arange", "randperm", "randint_like"):
        _made(m, word, args, kwargs, result)
        return
    if not m.bounds or not args:
        return
    if isinstance(result, (tuple, List)):
        known = of(m, args[0]) if word in _CUTS else None
        for one in (result.items if isinstance(result, List) else result) if known is not None else ():
            _note(m, one, known)
        return
    _note(m, result, _range(m, word, args, kwargs))


def _range(m: Any, word: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Range | None:
    if word in _MOVED or word in _CUTS or (word == "__getitem__" and len(args) > 1 and _by_place(args[1])):
        return of(m, args[0])
    if word in _JOINED:
        parts = args[0].items if isinstance(args[0], List) else args[0] if isinstance(args[0], tuple) else ()
        known = [of(m, p) for p in parts]
        if known and all(k is not None and type(k[0]) is int and type(k[1]) is int for k in known):
            return min(k[0] for k in known if k), max(k[1] for k in known if k)
        return None
    if word in _PAIRS and len(args) == 2 and type(args[1]) is int:
        return _shifted(_PAIRS[word], of(m, args[0]), args[1])
    if word in ("clamp", "clip"):
        low, high = ((*args[1:], None, None)[i] if len(args) > i + 1 else kwargs.get(n) for i, n in enumerate(("min", "max")))
        return _clamped(of(m, args[0]), low, high)
    return None


def _by_place(index: Any) -> bool:
    """Whether an index takes elements by their place alone: a choice by value may leave some numbers out."""
    parts = index if type(index) is tuple else (index,)
    return all(isinstance(p, (slice, int, Term)) or p is None or p is Ellipsis for p in parts)


def _shifted(word: str, known: Range | None, by: int) -> Range | None:
    if known is None:
        return None
    low, high = known
    if word == "add":
        return low + by, high + by
    if word == "sub":
        return low - by, high - by
    if word == "mul" and by > 0:
        return low * by, (high - 1) * by + 1
    if type(low) is not int or type(high) is not int or by <= 0:
        return None
    if word == "div":
        return low // by, (high - 1) // by + 1
    if word == "mod":
        return (low, high) if low >= 0 and high <= by else (0, by) if high - low >= by else None
    return None


def _clamped(known: Range | None, low: Any, high: Any) -> Range | None:
    if known is None or any(type(v) is not int for v in known) or any(v is not None and type(v) is not int for v in (low, high)):
        return None
    least, most = known[0], known[1] - 1
    if low is not None:
        least, most = max(least, low), max(most, low)
    if high is not None:
        least, most = min(least, high), min(most, high)
    return least, most + 1


def _note(m: Any, made: Any, known: Range | None) -> None:
    if known is None or not isinstance(made, TensorType) or made.dtype is None or not _holds(made.dtype, known):
        return
    note(m, made, *known)


def _holds(dtype: DType, known: Range) -> bool:
    """Whether an element type holds these numbers as they are."""
    if dtype.label in ("int64", "int32", "float32", "float64"):
        return True
    if dtype.kind not in "iu" or any(type(v) is not int for v in known):
        return False
    least = -(1 << (dtype.bits - 1)) if dtype.kind == "i" else 0
    return bool(least <= known[0] and known[1] <= least + (1 << dtype.bits))


def _made(m: Any, word: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
    if not isinstance(result, TensorType) or result.contents is not None or result.framework != "torch":
        return
    if result.dtype is None or result.dtype.kind not in "iu":
        return
    ends = [a for a in args if isinstance(a, (int, Term)) and not isinstance(a, bool)]
    if word in ("randperm",) and ends:
        note(m, result, 0, ends[0])
    elif word == "arange" and len(ends) == len(args) and 1 <= len(ends) <= 2 and not {"start", "end", "step"} & kwargs.keys():
        note(m, result, *((0, ends[0]) if len(ends) == 1 else ends))
    elif word == "randint_like" and len(args) > 1 and type(args[1]) is int:
        high = args[2] if len(args) > 2 else None
        note(m, result, *((0, args[1]) if type(high) is not int else (args[1], high)))


# --- labels of known data ---

_PLAIN_SAMPLERS = ("RandomSampler", "SequentialSampler", "DistributedSampler")


def all_of_it(loader: Any) -> bool:
    """Whether a loader shows every sample of a library's dataset: no choice of samples that may leave labels out."""
    sampler = loader.space.get("sampler")
    if isinstance(sampler, (Model, Instance)):
        name = sampler.kind if isinstance(sampler, Model) else sampler.cls.name
        if not name.endswith(_PLAIN_SAMPLERS):
            return False
    elif sampler is not None:
        return False
    data = loader.space.get("dataset")
    if isinstance(data, Model) and data.kind.endswith(".Subset") and data.space.get("drawn"):
        data = data.space["dataset"]
    return isinstance(data, Model) and data.kind.startswith("torchvision.datasets.") and data.kind != "torchvision.datasets.Omniglot"


def labelled(m: Any, first: Any, second: Any, batch: Any, sure: bool) -> Any:
    """A batch with the ranges of the numbers that its samples hold."""
    if isinstance(batch, TensorType):
        known = [_of_sample(m, v, sure) for v in (first, second)]
        if known[0] is not None and known[1] is not None and all(type(v) is int for k in known if k for v in k):
            _note(m, batch, (min(k[0] for k in known if k), max(k[1] for k in known if k)))
        elif known[0] is not None and known[0] == known[1]:
            _note(m, batch, known[0])
    elif isinstance(batch, (List, tuple)):
        parts, ones, twos = (list(v.items if isinstance(v, List) else v) if isinstance(v, (List, tuple)) else [] for v in (batch, first, second))
        for one, a, b in zip(parts, ones, twos):
            labelled(m, a, b, one, sure)
    elif isinstance(batch, Dict) and isinstance(first, Dict) and isinstance(second, Dict):
        for key, one in batch.items.items():
            labelled(m, first.items.get(key, MISSING), second.items.get(key, MISSING), one, sure)
    return batch


def _of_sample(m: Any, value: Any, sure: bool) -> Range | None:
    if isinstance(value, TensorType):
        return of(m, value) if m.bounds and value.contents is None else None
    if not isinstance(value, Term):
        return None
    shift = _rest(value)
    atom = sole_atom(value - shift)
    if atom is None or atom not in symbols(value) or atom.origin is not Origin.WORLD or (atom.name.startswith("label") and not sure):
        return None
    return (atom.lo + shift, atom.hi + shift + 1) if type(atom.lo) is int and type(atom.hi) is int else None


def _rest(value: Term) -> int:
    """The constant that is added to a symbol."""
    return next((coefficient for monomial, coefficient in value.parts if not monomial), 0)


# --- where a number must lie inside ---


def check(m: Any, name: str, bound: dict[str, Any], node: Any) -> None:
    """Called after every call of torch: what an index or a label holds must lie inside the axis that it speaks of."""
    word = name.rpartition(".")[2]
    if word in _LOSSES:
        _labels(m, word, bound, node)
        return
    x, index = bound.get("x"), bound.get("index")
    if word in ("embedding", "Embedding", "EmbeddingBag", "embedding_bag") and isinstance(bound.get("weight"), TensorType):
        _inside(m, index, 0, bound["weight"].shape[0], "embedding/index", "an embedding", node)
    elif word in ("gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "index_select", "take_along_dim", "index_add", "index_add_", "index_fill"):
        dim = bound.get("dim")
        if isinstance(x, TensorType) and x.shape.known and len(x.shape) and type(dim) is int and -len(x.shape) <= dim < len(x.shape):
            _inside(m, index, 0, x.shape[dim], f"{word.rstrip('_')}/range", "an index", node)
    elif word == "take" and isinstance(x, TensorType):
        _inside(m, index, -x.shape.numel, x.shape.numel, "take/range", "an index", node)
    elif word == "one_hot":
        classes = bound.get("classes")
        if isinstance(classes, (int, Term)):
            _inside(m, x, 0, None if type(classes) is int and classes < 0 else classes, "one_hot/range", "a label", node)
    elif word == "__getitem__" and isinstance(x, TensorType) and x.shape.known and index is not None:
        _indexed(m, x, index if type(index) is tuple else (index,), node)


def _indexed(m: Any, x: TensorType, parts: tuple[Any, ...], node: Any) -> None:
    for axis, part in enumerate(parts):
        if not isinstance(part, (int, slice, Term, TensorType)) or isinstance(part, bool) or axis >= len(x.shape):
            return
        if isinstance(part, TensorType):
            if part.dtype is None or part.dtype.kind not in "iu" or part.dtype.label == "uint8":
                return
            _inside(m, part, -x.shape[axis], x.shape[axis], "getitem/range", "an index", node)


def _some(tensor: TensorType) -> Truth:
    """There is an element."""
    return ge(tensor.shape.numel, 1) if tensor.shape.known else True


def _inside(m: Any, index: Any, least: Dim, past: Dim | None, code: str, what: str, node: Any) -> None:
    known = of(m, index) if isinstance(index, TensorType) and index.contents is None else None
    if known is None:
        return
    low, high = known
    message = f"{what} is one of {low!r} to {high - 1!r}, and must lie between {least!r} and {past - 1 if past is not None else 'any'!r}"
    m.require(code, implies(conj(_some(index), lt(low, high)), conj(ge(low, least), True if past is None else ge(past, high))), message, node, ("index",))


def _labels(m: Any, word: str, bound: dict[str, Any], node: Any) -> None:
    x, target = bound.get("x"), bound.get("target")
    if not isinstance(x, TensorType) or not isinstance(target, TensorType) or not x.shape.known or not len(x.shape) or target.dtype is None:
        return
    known = of(m, target) if target.contents is None else None  # the rule looks at contents
    if known is None or target.dtype.kind not in "iu":
        return
    classes, ignored = x.shape[1 if len(x.shape) > 1 else 0], bound.get("ignore_index", -100)
    low, high = known
    if type(low) is int and type(high) is int and type(ignored) is int:
        low, high = (low + 1 if low == ignored else low), (high - 1 if high - 1 == ignored else high)
    message = f"the targets hold the classes {low!r} to {high - 1!r}, and the scores are those of {classes!r} classes"
    code = "nll_loss/target" if word.lower().startswith("nll") else "cross_entropy/target"
    m.require(code, implies(conj(_some(target), lt(low, high)), conj(ge(low, 0), ge(classes, high))), message, node, ("target", "x"))


