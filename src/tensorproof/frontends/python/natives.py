"""Python's own functions and classes: those that look into values have a model here, the pure ones run as they are on plain values."""

from __future__ import annotations

import ast
import collections
from collections.abc import Callable
from collections.abc import Iterator as HostIterator
from functools import cmp_to_key, partial
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import iteration, operations, uncounted
from tensorproof.frontends.python.errors import BASES, Raised
from tensorproof.libraries import registry
from tensorproof.libraries.plain import lazy
from tensorproof.libraries.whole_numbers import number_of
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Origin, Term, absolute, floordiv, lower, maximum, minimum
from tensorproof.terms.predicates import Predicate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING, Cursor
from tensorproof.values.many import is_text, length, shown
from tensorproof.values.many import uncounted as has_many
from tensorproof.values.objects import (
    OPEN,
    Bound,
    Choice,
    Class,
    ClassMethod,
    Dict,
    Function,
    Generator,
    Instance,
    Iterator,
    List,
    Model,
    ModuleFile,
    Native,
    Property,
    Record,
    Set,
    StaticMethod,
    Super,
)  # fmt: skip
from tensorproof.values.python_values import REAL, TEXT, Layer, Method, Named, Unknown

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

_OPAQUE = (
    TensorType,
    Unknown,
    Named,
    Layer,
    Method,
    Instance,
    Class,
    Function,
    Bound,
    Native,
    Model,
    Choice,
    List,
    Dict,
    Set,
    Iterator,
    Generator,
    Term,
    Predicate,
)
Run = Callable[..., Any]


def call(m: Interpreter, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
    for i, one in enumerate(args):
        if type(one) is Choice:  # the call with each of the two values
            return m.branching.choose(
                one.condition,
                partial(call, m, callee, (*args[:i], one.then, *args[i + 1 :]), kwargs, node),
                partial(call, m, callee, (*args[:i], one.other, *args[i + 1 :]), kwargs, node),
            )
    args = m.memory.all_current(args)
    try:
        model = MODELS.get(callee)
    except TypeError:
        model = None
    if model is not None:
        try:
            return model(m, node, *args, **kwargs)
        except TypeError as error:
            if "positional argument" in str(error) or "keyword argument" in str(error):
                raise m.raised("TypeError", f"{getattr(callee, '__name__', 'this')} does not take these arguments", node, "call/arguments") from None
            raise
    name = getattr(callee, "__name__", type(callee).__name__)
    if isinstance(callee, type) and issubclass(callee, BaseException):
        from tensorproof.frontends.python.exceptions import exception_object

        return exception_object(m, callee.__name__, args, node)
    if not callable(callee):
        raise m.raised("TypeError", f"a {operations.type_name(callee)} cannot be called", node)
    if not _all_plain(args) or not _all_plain(tuple(kwargs.values())):
        return _half_plain(m, callee, name, args, kwargs, node)
    return _wrapped(m, operations.plain(m, callee, args, node, kwargs))


def _texts(m: Interpreter, args: tuple[Any, ...], node: ast.AST) -> bool:
    """Whether what is joined are texts, as far as that is known."""
    found = uncounted.listed(m, args[0], node) if len(args) == 1 else None
    return found is not None and all(is_text(v) or (isinstance(v, (Unknown, Choice)) and not operations.number_kind(v)) for v in shown(found))


def _half_plain(m: Interpreter, callee: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """A pure function with the program's containers among its arguments: they are spelled out when all is concrete."""
    try:
        spelled = tuple(host(m, a) for a in args), {k: host(m, v) for k, v in kwargs.items()}
    except ValueError:
        if isinstance(getattr(callee, "__self__", None), str) and name in ("format", "format_map"):
            return TEXT
        if isinstance(getattr(callee, "__self__", None), str) and name == "join" and _texts(m, args, node):
            return TEXT
        if any(isinstance(a, (Unknown, Term, Predicate, Choice)) for a in (*args, *kwargs.values())):
            return Unknown(name)
        return m.gap(name, node, "of values that it cannot look into")
    return _wrapped(m, operations.plain(m, callee, spelled[0], node, spelled[1]))


def host(m: Interpreter, value: Any) -> Any:
    """A value as Python's own; ValueError when it holds something abstract."""
    match value:
        case List():
            return [host(m, v) for v in value.items]
        case Set():
            return {host(m, v) for v in value.items}
        case Dict():
            return {host(m, k): host(m, v) for k, v in value.items.items()}
        case tuple():
            return tuple(host(m, v) for v in value)
        case Iterator():
            return iter([host(m, v) for v in value.items[value.state["at"] :]])
        case Generator():
            return iter([host(m, v) for v in iteration.items(m, value, ast.Pass()) or ()])
        case Choice():
            return host(m, value.then if iteration.decided(m, value.condition) else value.other)
        case _ if isinstance(value, _OPAQUE):
            raise ValueError
        case _:
            return value


def _wrapped(m: Interpreter, value: Any) -> Any:
    """Python's own containers as the program's."""
    if type(value) is list:
        return List(m.heap.row(_wrapped(m, v) for v in value))
    if type(value) is dict:
        return Dict(m.heap.entries({k: _wrapped(m, v) for k, v in value.items()}))
    if type(value) in (set, frozenset):
        return Set(m.heap.row(value), type(value) is frozenset)
    if type(value) is tuple:
        return tuple(_wrapped(m, v) for v in value)
    if hasattr(value, "__next__"):
        from itertools import islice

        found = list(islice(value, iteration.MOST_YIELDS + 1))
        return Unknown("an endless iterator") if len(found) > iteration.MOST_YIELDS else iteration.iterator(m, [_wrapped(m, v) for v in found])
    return value


def _all_plain(values: tuple[Any, ...]) -> bool:
    return all(not isinstance(v, _OPAQUE) and (not isinstance(v, tuple) or _all_plain(v)) for v in values)


# --- models ---


def _print(m: Interpreter, node: ast.AST, *args: Any, **kwargs: Any) -> None:
    file = kwargs.get("file")
    if isinstance(file, Model) and file.kind == "io.StringIO":
        m.heap.set(file.space, "text", TEXT)


def _len(m: Interpreter, node: ast.AST, value: Any) -> Any:
    match value:
        case List() | Dict() | Set():
            return length(value.items.values() if isinstance(value, Dict) and OPEN in value.items else value.items)
        case TensorType():
            if not value.shape.known:
                return Unknown("len")
            if len(value.shape) == 0:
                raise m.raised("TypeError", "a tensor without axes has no len", node)
            return value.shape[0]
        case Choice():
            return m.branching.choose(value.condition, lambda: _len(m, node, value.then), lambda: _len(m, node, value.other))
        case Instance():
            from tensorproof.frontends.python.attributes import in_class

            found, _ = in_class(m, value.cls, "__len__")
            if found is not MISSING:
                return m.call(Bound(found, value), (), {}, node)
            return registry.length(m, value, node)
        case Layer() | Model():
            return registry.length(m, value, node)
        case Class():
            members = registry.class_items(m, value)
            if members is MISSING:
                raise m.raised("TypeError", f"the class {value.name} has no len", node)
            return len(members)
        case Unknown(text=True):
            return m.symbol(m.name_here("len", node), 0, None, Origin.USER)
        case Unknown():
            return value
        case Iterator() | Generator() | None:
            raise m.raised("TypeError", f"a {operations.type_name(value)} has no len", node)
        case tuple() if has_many(value):
            return length(value)
        case _:
            return operations.plain(m, len, (value,), node)


def _range(m: Interpreter, node: ast.AST, *args: Any) -> Any:
    sizes = [a.contents[0] if isinstance(a, TensorType) and a.contents is not None and len(a.contents) == 1 else a for a in args]
    if any(isinstance(a, (Unknown, Choice, TensorType)) for a in sizes):
        return Unknown("range")
    if any(isinstance(a, Term) for a in sizes):
        start, stop, step = (0, sizes[0], 1) if len(sizes) == 1 else (*sizes, 1) if len(sizes) == 2 else tuple(sizes)
        return Model("range", m.heap.space({"start": start, "stop": stop, "step": step}))
    return operations.plain(m, range, tuple(sizes), node)


def is_instance(m: Interpreter, value: Any, wanted: Any) -> Any:
    """`isinstance(value, wanted)`."""
    from tensorproof.frontends.python.classes import cls_is

    if isinstance(wanted, tuple):
        results = [is_instance(m, value, w) for w in wanted]
        if any(r is True for r in results):
            return True
        return next((r for r in results if r is not False), False)
    if isinstance(value, Unknown) or isinstance(wanted, Unknown):
        return Unknown("isinstance")
    if isinstance(value, Choice):
        return m.branching.choose(value.condition, lambda: is_instance(m, value.then, wanted), lambda: is_instance(m, value.other, wanted))
    if isinstance(wanted, Class):
        return isinstance(value, (Instance, Record)) and cls_is(value.cls, wanted)
    if isinstance(wanted, Named):
        return registry.is_instance(m, value, wanted.name)
    if isinstance(wanted, type):
        return _is_host_instance(m, value, wanted)
    return Unknown("isinstance")


def _is_host_instance(m: Interpreter, value: Any, wanted: type) -> Any:
    match value:
        case List():
            return issubclass(collections.deque if value.deque else list, wanted)
        case Dict():
            counted = collections.Counter if value.counter else collections.OrderedDict if value.ordered else None
            return issubclass(counted or (dict if value.default is None else collections.defaultdict), wanted)
        case Set():
            return issubclass(frozenset if value.frozen else set, wanted)
        case Term():
            return issubclass(int, wanted)
        case Predicate():
            return issubclass(bool, wanted)
        case Instance():
            if isinstance(value.native, (Dict, List)) and _is_host_instance(m, value.native, wanted):
                return True
            return wanted is object or any(c is wanted or (isinstance(c, type) and issubclass(c, wanted)) for c in value.cls.mro)
        case Function() | Bound() | Native():
            return wanted is object or wanted.__name__ in ("Callable", "FunctionType", "MethodType")
        case Class():
            return wanted in (type, object)
        case Model() if value.kind == "exception":
            kind = value.space["kind"]
            return isinstance(kind, str) and kind in BASES and wanted.__name__ in _lineage(kind)
        case _ if isinstance(value, (TensorType, Layer, Named, Model, ModuleFile, DType, Generator, Iterator, Method)):
            if wanted.__name__ in ("Iterable", "Iterator") and isinstance(value, (Generator, Iterator)):
                return True
            return (
                wanted is object
                or (wanted.__name__ == "Iterable" and isinstance(value, TensorType))
                or (wanted.__name__ == "Callable" and isinstance(value, Layer))
            )
        case _:
            return isinstance(value, wanted)


def _lineage(kind: str) -> set[str]:
    found = {kind}
    for base in BASES.get(kind, ()):
        found |= _lineage(base)
    return found


def _isinstance(m: Interpreter, node: ast.AST, value: Any, wanted: Any) -> Any:
    return is_instance(m, value, wanted)


def _issubclass(m: Interpreter, node: ast.AST, cls: Any, wanted: Any) -> Any:
    from tensorproof.frontends.python.classes import cls_is

    if isinstance(wanted, tuple):
        return any(_issubclass(m, node, cls, w) is True for w in wanted)
    if isinstance(cls, Class):
        return cls_is(cls, wanted) or wanted is object
    if isinstance(cls, type) and isinstance(wanted, type):
        return issubclass(cls, wanted)
    if isinstance(cls, Named) and isinstance(wanted, Named):
        return registry.derives(cls, wanted) or cls.name == wanted.name
    return Unknown("issubclass")


def _getattr(m: Interpreter, node: ast.AST, owner: Any, name: Any, *default: Any) -> Any:
    if not isinstance(name, str):
        return Unknown("getattr")
    if not default:
        return m.attribute(owner, name, node)
    m.handlers += 1
    try:
        return m.attribute(owner, name, node)
    except Raised as raised:
        if raised.kind == "AttributeError":
            return default[0]
        raise
    finally:
        m.handlers -= 1


def _hasattr(m: Interpreter, node: ast.AST, owner: Any, name: Any) -> Any:
    if isinstance(owner, Unknown) or not isinstance(name, str):
        return Unknown("hasattr")
    missing = object()
    gaps = len(m.path.gaps)
    found = _getattr(m, node, owner, name, missing)
    del m.path.gaps[gaps:]
    return Unknown("hasattr") if isinstance(found, Unknown) else found is not missing


def _setattr(m: Interpreter, node: ast.AST, owner: Any, name: Any, value: Any) -> None:
    if isinstance(name, str):
        m.set_attribute(owner, name, value, node)
    else:
        m.gap("setattr", node, "the name is not known")


def _delattr(m: Interpreter, node: ast.AST, owner: Any, name: Any) -> None:
    from tensorproof.frontends.python.attributes import delete

    delete(m, owner, name, node)


def _type(m: Interpreter, node: ast.AST, value: Any, *rest: Any) -> Any:
    if rest:
        return m.gap("type(name, bases, dict)", node)
    match value:
        case Instance() | Record():
            return value.cls
        case List():
            return list
        case Dict():
            return dict
        case Set():
            return frozenset if value.frozen else set
        case Unknown():
            return value
        case TensorType():
            from tensorproof.frontends.python.tensors import tensor_class

            return Named(tensor_class(value))
        case Layer():
            return Named(value.module.name if value.module is not None else "torch.nn.Sequential")
        case Term():
            return int
        case Predicate():
            return bool
        case Choice():
            return m.branching.choose(value.condition, lambda: _type(m, node, value.then), lambda: _type(m, node, value.other))
        case Model():
            return Named(value.kind)
        case _:
            return type(value)


def _listed(m: Interpreter, value: Any, node: ast.AST, what: str) -> list[Any] | Unknown:
    found = uncounted.listed(m, value, node)
    return Unknown(what) if found is None else found


def _tuple(m: Interpreter, node: ast.AST, value: Any = ()) -> Any:
    found = _listed(m, value, node, "tuple")
    return found if isinstance(found, Unknown) else tuple(found)


def _list(m: Interpreter, node: ast.AST, value: Any = ()) -> Any:
    found = _listed(m, value, node, "list")
    return found if isinstance(found, Unknown) else List(m.heap.row(found))


def _set(m: Interpreter, node: ast.AST, value: Any = ()) -> Any:
    found = _listed(m, value, node, "set")
    if not isinstance(found, Unknown) and has_many(found):
        return Set(m.heap.row(uncounted.distinct(m, found, node)))
    return found if isinstance(found, Unknown) else operations.make_set(m, found, node)


def _frozenset(m: Interpreter, node: ast.AST, value: Any = ()) -> Any:
    found = _listed(m, value, node, "frozenset")
    if not isinstance(found, Unknown) and has_many(found):
        return Set(m.heap.row(uncounted.distinct(m, found, node)), frozen=True)
    return found if isinstance(found, Unknown) else operations.make_set(m, found, node, frozen=True)


def _dict(m: Interpreter, node: ast.AST, value: Any = None, **named: Any) -> Any:
    made = Dict(m.heap.entries())
    value = registry.data_of(value)
    if isinstance(value, Dict):
        made.items.update(value.items)
    elif value is not None:
        found = uncounted.listed(m, value, node)
        if found is None:
            return Unknown("dict")
        if has_many(found):
            return uncounted.dict_of(m, found, node)
        for pair in found:
            parts = m.iterate(pair, node)
            if parts is None or len(parts) != 2 or isinstance(parts[0], (Unknown, Term)):
                return Unknown("dict")
            made.items[parts[0]] = parts[1]
    made.items.update(named)
    return made


def _enumerate(m: Interpreter, node: ast.AST, value: Any, start: Any = 0) -> Any:
    sequence = iteration.sequence_of(value)
    if sequence is not None and isinstance(start, (int, Term)):
        return iteration.iterator(m, iteration.Pairs(sequence, start))
    if isinstance(value, (Generator, Iterator)):
        return lazy(m, ((operations.binary(m, ast.Add, start, i, node), v) for i, v in enumerate(_pulled(m, value, node))))
    value = registry.plain_source(value)
    if isinstance(value, (Model, List, tuple, Set, Dict)) or (isinstance(value, Instance) and registry.rounds_of(value)):
        return Model("enumerate", m.heap.space({"source": value, "start": start}))
    found = m.iterate(value, node)
    return Unknown("enumerate") if found is None else iteration.iterator(m, [(start + i, v) for i, v in enumerate(found)])


def _zip(m: Interpreter, node: ast.AST, *values: Any, strict: Any = False) -> Any:
    values = tuple(registry.plain_source(v) for v in values)
    if any(isinstance(v, Model) or uncounted.parts(m, v, node) is not None for v in values):
        return Model("zip", m.heap.space({"sources": values}))
    sequences = [iteration.sequence_of(v) for v in values]
    if strict is False and all(s is not None for s in sequences):
        return iteration.iterator(m, iteration.Columns(sequences))
    if any(isinstance(v, (Generator, Iterator)) for v in values) and strict is False:
        sources = [iteration.iter_of(m, v, node) for v in values]
        return Unknown("zip") if any(isinstance(s, Unknown) for s in sources) else lazy(m, zip(*(_pulled(m, s, node) for s in sources)))
    found = [m.iterate(v, node) for v in values]
    if any(f is None for f in found):
        return Unknown("zip")
    lengths = {len(f) for f in found if f is not None}
    if strict is True and len(lengths) > 1:
        raise m.raised("ValueError", f"zip with strict=True gets sequences of {' and '.join(map(str, sorted(lengths)))} items", node)
    return iteration.iterator(m, list(zip(*(f for f in found if f is not None))))


def _pulled(m: Interpreter, source: Any, node: ast.AST) -> HostIterator[Any]:
    """The items of an iterator, each taken when it is asked for."""
    while (found := iteration.next_of(m, source, node, iteration.END)) is not iteration.END:
        yield found


def _map(m: Interpreter, node: ast.AST, function: Any, *values: Any) -> Any:
    rounds = uncounted.open_rounds(m, values[0], node) if len(values) == 1 else None
    if rounds is not None:
        made = uncounted.mapped(m, m.frames[-1], rounds, lambda item, add: add(m.call(function, (item,), {}, node)), node)
        return Unknown("map") if made is None else List(m.heap.row(made))
    found = [iteration.walk(m, v, node) for v in values]
    if any(f is None for f in found):
        return Unknown("map")
    return lazy(m, (m.call(function, row, {}, node) for row in zip(*(f for f in found if f is not None))))


def _filter(m: Interpreter, node: ast.AST, function: Any, value: Any) -> Any:
    rounds = uncounted.open_rounds(m, value, node)
    if rounds is not None:

        def keep(item: Any, add: Any) -> None:
            uncounted.kept(m, m.truth(item if function is None else m.call(function, (item,), {}, node), node), lambda: add(item), node)

        made = uncounted.mapped(m, m.frames[-1], rounds, keep, node)
        return Unknown("filter") if made is None else List(m.heap.row(made))
    found = iteration.walk(m, value, node)
    if found is None:
        return Unknown("filter")
    return lazy(m, (v for v in found if iteration.decided(m, m.truth(v if function is None else m.call(function, (v,), {}, node), node))))


def _reversed(m: Interpreter, node: ast.AST, value: Any) -> Any:
    many = uncounted.parts(m, value, node)
    if many is not None:
        return List(m.heap.row(many[::-1]))
    found = m.iterate(value, node)
    return Unknown("reversed") if found is None else iteration.iterator(m, found[::-1])


def sort_items(m: Interpreter, items: list[Any], key: Any, reverse: Any, node: ast.AST) -> Any:
    keys = [v if key is None else m.call(key, (v,), {}, node) for v in items]
    try:
        order = sorted(range(len(items)), key=lambda i: host(m, keys[i]), reverse=bool(reverse))
    except ValueError:
        if len(items) > 64 or any(isinstance(k, (Unknown, TensorType)) for k in keys):
            return Unknown("sorted")

        def before(i: int, j: int) -> int:
            return -1 if iteration.decided(m, m.truth(m.compare(ast.Lt, keys[i], keys[j], node), node)) else 0

        order = sorted(range(len(items)), key=cmp_to_key(before), reverse=bool(reverse))
    except TypeError as error:
        raise m.raised("TypeError", f"TypeError: {error}", node) from None
    return [items[i] for i in order]


def _sorted(m: Interpreter, node: ast.AST, value: Any, *, key: Any = None, reverse: Any = False) -> Any:
    many = uncounted.parts(m, value, node)
    if many is not None:
        return List(m.heap.row(uncounted.sorted_items(many)))
    found = m.iterate(value, node)
    result = Unknown("sorted") if found is None else sort_items(m, found, key, reverse, node)
    return result if isinstance(result, Unknown) else List(m.heap.row(result))


def _sum(m: Interpreter, node: ast.AST, value: Any, start: Any = 0) -> Any:
    many = uncounted.parts(m, value, node)
    if many is not None:
        return uncounted.total(m, many, start, node)
    found = m.iterate(value, node)
    if found is None:
        return Unknown("sum")
    total = start
    for one in found:
        total = operations.binary(m, ast.Add, total, one, node)
    return total


def _extreme(word: str) -> Run:
    native, symbolic = (min, minimum) if word == "min" else (max, maximum)

    def run(m: Interpreter, node: ast.AST, *values: Any, key: Any = None, default: Any = MISSING) -> Any:
        many = uncounted.parts(m, values[0], node) if len(values) == 1 else None
        if many is not None:
            return uncounted.extreme(m, many, node)
        found = list(values) if len(values) != 1 else m.iterate(values[0], node)
        if found is None:
            return Unknown(word)
        if not found:
            if default is not MISSING:
                return default
            raise m.raised("ValueError", f"{word} of nothing", node)
        if key is not None:
            result = sort_items(m, found, key, word == "max", node)
            return result if isinstance(result, Unknown) else result[0]
        if all(type(v) in (int, Term) for v in found):
            return symbolic(*found)
        if all(type(v) is TensorType and v.shape == () and v.dtype is found[0].dtype and v.framework == found[0].framework for v in found):
            return found[0].but(contents=None, parameter=False)
        if any(isinstance(v, (Unknown, TensorType)) for v in found):
            kinds = {operations.number_kind(v) for v in found}
            return Unknown(word, number="" if "" in kinds else "float" if "float" in kinds else "int")
        if not _all_plain(tuple(found)):
            best = found[0]
            for one in found[1:]:
                better = m.truth(m.compare(ast.Lt if word == "min" else ast.Gt, one, best, node), node)
                best = m.branching.choose(better, lambda one=one: one, lambda best=best: best)  # type: ignore[misc]
            return best
        return operations.plain(m, lambda *v: native(v), tuple(found), node)

    return run


def _any_all(word: str) -> Run:
    wanted = word == "any"

    def run(m: Interpreter, node: ast.AST, value: Any) -> Any:
        from tensorproof.terms.predicates import disj, negate

        found = iteration.walk(m, value, node)
        if found is None:
            return Unknown(word)
        own = (value.frame.space,) if isinstance(value, Generator) else ()
        ends: Any = False
        while True:
            watch = m.heap.mark()
            raised = item = None
            try:
                item = next(found, iteration.END)
            except Raised as error:
                raised = error
            except BaseException:
                m.heap.forget(watch)
                raise
            wrote = ends is not False and any(all(o is not x for x in own) and not isinstance(o, Cursor) for o in m.heap.difference(watch).owners.values())
            stops = (wrote or raised is not None) and iteration.decided(m, ends)
            if stops:  # it would have stopped before this item
                m.heap.undo(watch)
            m.heap.forget(watch)
            if stops:
                return wanted
            if raised is not None:
                raise raised
            if item is iteration.END:
                return ends if wanted else negate(ends)
            t = m.truth(item, node)
            ends = disj(ends, t if wanted else negate(t))
            if ends is True:
                return wanted

    return run


def _abs(m: Interpreter, node: ast.AST, value: Any) -> Any:
    match value:
        case Term():
            return absolute(value)
        case TensorType():
            from tensorproof.frontends.python.tensors import tensor_class

            return m.spelling(f"{tensor_class(value)}.abs" if value.framework == "torch" else "numpy.abs", (value,), {}, node)
        case Unknown():
            return value
        case Instance():
            return m.call(m.attribute(value, "__abs__", node), (), {}, node)
        case _:
            return operations.plain(m, abs, (value,), node)


def _number(native: Any) -> Run:
    def run(m: Interpreter, node: ast.AST, value: Any = 0, *rest: Any) -> Any:
        match value:
            case TensorType():
                if value.contents is not None and len(value.contents) == 1:
                    return run(m, node, value.contents[0])
                if value.shape.concrete and value.shape.numel != 1:
                    raise m.raised("ValueError", f"only a tensor of one element becomes a number, this one is {value.shape!r}", node, "python/item")
                if native is int and value.framework in ("torch", "numpy") and value.dtype is not None and value.dtype.is_integer:
                    return number_of(m, value, node)
                return Unknown(native.__name__, number=native.__name__ if native in (int, float) else "")
            case Term():
                return value if native is int else REAL if native is float else m.truth(value, node)
            case Predicate():
                from tensorproof.terms.ints import ite

                return value if native is bool else ite(value, 1, 0)
            case Unknown(text=True) if native is int:
                return m.symbol(m.name_here("number", node), -(2**63), 2**63, Origin.USER)
            case Unknown(ratio=(above, below)) if native is int and lower(above) >= 0:
                return floordiv(above, below)
            case Unknown() | Choice():
                return REAL if native is float else Unknown(native.__name__, number="int" if native is int else "")
            case Instance():
                return m.call(m.attribute(value, f"__{native.__name__}__", node), (), {}, node)
            case _:
                return operations.plain(m, native, (value, *rest), node)

    return run


def _bool(m: Interpreter, node: ast.AST, value: Any = False) -> Any:
    return m.truth(value, node)


def _str(m: Interpreter, node: ast.AST, value: Any = "", *rest: Any) -> Any:
    if isinstance(value, (str, int, float, bool, complex, type(None), bytes)):
        return operations.plain(m, str, (value, *rest), node)
    if isinstance(value, Instance):
        from tensorproof.frontends.python.attributes import in_class

        for name in ("__str__", "__repr__"):
            found, _ = in_class(m, value.cls, name)
            if isinstance(found, Function):
                return m.call(Bound(found, value), (), {}, node)
    if isinstance(value, (List, Dict, tuple, Set)):
        try:
            return str(host(m, value))
        except ValueError:
            pass
    return registry.model_text(m, value) if isinstance(value, Model) else TEXT


def _round(m: Interpreter, node: ast.AST, value: Any, digits: Any = None) -> Any:
    if isinstance(value, Term):
        return value
    if isinstance(value, (Unknown, Choice, TensorType)):
        kind = operations.number_kind(value)
        return Unknown("round", number="int" if kind and digits is None else kind)
    return operations.plain(m, round, (value,) if digits is None else (value, digits), node)


def _super(m: Interpreter, node: ast.AST, cls: Any = None, me: Any = None) -> Any:
    if not isinstance(cls, (Class, Named, Unknown, type)):
        raise m.raised("TypeError", f"super takes a class first, not a {operations.type_name(cls)}", node)
    if me is None:  # bound to nothing: its own __init__ does nothing to the object
        return Model("object", m.heap.space({"__init__": Native("__init__", lambda *a: None)}))
    return Super(cls, me)


def _property(m: Interpreter, node: ast.AST, get: Any = None, set: Any = None, *rest: Any, fget: Any = None, fset: Any = None, **ignored: Any) -> Any:
    return Property(get or fget, set or fset)


def _callable(m: Interpreter, node: ast.AST, value: Any) -> Any:
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Instance):
        from tensorproof.frontends.python.attributes import in_class

        return in_class(m, value.cls, "__call__")[0] is not MISSING or registry.calls(value)
    if isinstance(value, Model):
        return registry.model_calls(value)
    return isinstance(value, (Function, Bound, Native, Class, Layer, Method, Named, type)) or (callable(value) and not isinstance(value, (List, Dict, Set)))


def _vars(m: Interpreter, node: ast.AST, value: Any = None) -> Any:
    return Unknown("vars") if value is None else m.attribute(value, "__dict__", node)


def _id(m: Interpreter, node: ast.AST, value: Any) -> Any:
    return id(value)


def _pow(m: Interpreter, node: ast.AST, a: Any, b: Any, *rest: Any) -> Any:
    return operations.plain(m, pow, (a, b, *rest), node) if rest else operations.binary(m, ast.Pow, a, b, node)


def _divmod(m: Interpreter, node: ast.AST, a: Any, b: Any) -> Any:
    return operations.binary(m, ast.FloorDiv, a, b, node), operations.binary(m, ast.Mod, a, b, node)


def _iter(m: Interpreter, node: ast.AST, value: Any) -> Any:
    return iteration.iter_of(m, value, node)


def _next(m: Interpreter, node: ast.AST, value: Any, *default: Any) -> Any:
    return iteration.next_of(m, value, node, default[0] if default else MISSING)


def _object(m: Interpreter, node: ast.AST) -> Any:
    return Model("object", m.heap.space())


def _open(m: Interpreter, node: ast.AST, file: Any, mode: Any = "r", *rest: Any, **named: Any) -> Any:
    known = isinstance(file, (str, Model))
    return Model("file", m.heap.space({"path": file if known else None, "mode": mode if isinstance(mode, str) else "?", "at": 0, "name": file}))


MODELS: dict[Any, Run] = {
    print: _print, len: _len, range: _range, isinstance: _isinstance, issubclass: _issubclass, getattr: _getattr, hasattr: _hasattr, setattr: _setattr,
    delattr: _delattr, type: _type, tuple: _tuple, list: _list, set: _set, frozenset: _frozenset, dict: _dict, enumerate: _enumerate, zip: _zip, map: _map,
    filter: _filter, reversed: _reversed, sorted: _sorted, sum: _sum, min: _extreme("min"), max: _extreme("max"), any: _any_all("any"), all: _any_all("all"),
    abs: _abs, int: _number(int), float: _number(float), bool: _bool, str: _str, round: _round, super: _super, property: _property,
    staticmethod: lambda m, node, f: StaticMethod(f), classmethod: lambda m, node, f: ClassMethod(f), callable: _callable, vars: _vars, id: _id,
    pow: _pow, divmod: _divmod, iter: _iter, next: _next, object: _object, open: _open, slice: lambda m, node, *a: slice(*a),
    repr: lambda m, node, v: _str(m, node, v) if not isinstance(v, str) else repr(v), input: lambda m, node, *a: TEXT,
    globals: lambda m, node: Dict(m.heap.entries(dict(m.frames[-1].globals))) if m.frames else Unknown("globals"), locals: lambda m, node: Unknown("locals"),
    hash: lambda m, node, v: hash(v) if isinstance(v, (str, int, float, tuple)) else id(v), exec: lambda m, node, *a: m.gap("exec", node),
    eval: lambda m, node, *a: m.gap("eval", node), dir: lambda m, node, *a: Unknown("dir"), __import__: lambda m, node, *a, **k: m.gap("__import__", node),
}  # fmt: skip
