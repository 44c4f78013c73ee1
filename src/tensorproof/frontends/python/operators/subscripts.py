"""`x[i]`, `x[i] = v` and `del x[i]`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python.attributes import unknown_values
from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.branching.joining import CannotJoin, join
from tensorproof.frontends.python.branching.settled import settled
from tensorproof.frontends.python.containers import dict_methods, hashing, list_methods
from tensorproof.frontends.python.containers.hashing import key
from tensorproof.frontends.python.frame import Frame
from tensorproof.frontends.python.operators.host_calls import is_opaque, not_modelled
from tensorproof.frontends.python.operators.type_rules import refuse_index
from tensorproof.frontends.python.summaries import summarised_entries, summarised_lists
from tensorproof.frontends.python.summaries.any_item import Unlike, holds_lists, one_of
from tensorproof.frontends.python.tensors import tensors
from tensorproof.libraries import layers, registry, signatures
from tensorproof.libraries.python.annotations import alias
from tensorproof.libraries.tensorflow import traced
from tensorproof.libraries.torch import sizes as torch_sizes
from tensorproof.libraries.whole_numbers import misses, number_of, size_in, whole_tensor
from tensorproof.ops.inputs import as_size
from tensorproof.terms.dtypes import BOOL
from tensorproof.terms.ints import Origin, Term, lower, sole_atom, upper
from tensorproof.terms.predicates import Predicate, conj, disj, eq, ge, lt
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import OPEN, Bound, Choice, Class, Dict, Function, Instance, List, Model
from tensorproof.values.python_values import AFTER_ERROR, TEXT, Layer, Named, Union, Unknown
from tensorproof.values.summaries import is_summarised

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def load(m: Interpreter, owner: Value, index: Value, node: ast.AST) -> Value:
    if index is AFTER_ERROR:
        return AFTER_ERROR
    refuse_index(m, owner, index, node)
    match owner:
        case List() if owner.view:
            raise m.raised("TypeError", f"a dict_{owner.view} has no index: make a list of it first", node)
        case List() | tuple() | str() | range() | bytes():
            traced.refuse_truth(m, index, node, "the index of a list")
            return _from_sequence(m, owner, index, node)
        case Dict():
            return _from_dict(m, owner, index, node)
        case TensorType():
            if owner.framework == "numpy" and owner.dtype is None and isinstance(index, str):
                return m.gap("numpy.ndarray.__getitem__", node, "a field of the elements")
            if owner.framework == "tf" and isinstance(index, TensorType) and index.dtype is BOOL:
                return m.spelling("tf.boolean_mask", (owner, index), {}, node)
            if owner.framework == "keras" and (index is None or index is Ellipsis or isinstance(index, slice)):
                raise m.raised("ValueError", "a KerasTensor takes a number or a tuple as its index: write x[1:, ...]", node, "keras/symbolic")
            found = m.spelling(f"{tensors.tensor_class(owner)}.__getitem__", (owner, _cut(m, owner, _numbers(m, index))), {}, node)
            return _plainer(m, index, found) if m.facts else found
        case Unknown():
            return unknown_values.item(m, owner, index, node)
        case Choice():
            return m.branching.choose(owner.condition, lambda: load(m, owner.then, index, node), lambda: load(m, owner.other, index, node))
        case Instance():
            found, _ = in_class(m, owner.cls, "__getitem__")
            if found is not MISSING:
                return m.call(Bound(found, owner), (index,), {}, node)
            return registry.item(m, owner, index, node)
        case Layer() | Model():
            return registry.item(m, owner, index, node)
        case Named() | Class() | type():
            if isinstance(owner, Class):
                found = registry.class_item(m, owner, index, node)
                if found is not MISSING:
                    return found
            if isinstance(owner, Named) and is_opaque(owner) and not signatures.forms(owner.name):
                return not_modelled(m, owner, node)  # a value of a library: np.mgrid[:3]
            return alias(m, owner, index if type(index) is tuple else (index,)) if isinstance(owner, type) else owner  # Tensor[...]
        case Function():
            raise m.raised("TypeError", f"the function {owner.name} cannot be indexed", node)
        case _:
            raise m.raised("TypeError", f"a {type(owner).__name__} cannot be indexed", node)


def _numbers(m: Interpreter, index: Value) -> Value:
    """An index with the numbers of tensors that hold one known number each in its slices."""
    if isinstance(index, slice):
        return slice(_number(m, index.start), _number(m, index.stop), _number(m, index.step))
    return tuple(_numbers(m, one) for one in index) if type(index) is tuple else index


def _cut(m: Interpreter, owner: TensorType, index: Value) -> Value:
    """An index of an array with a size for each end of its slices that is read from an array: `a[y1 : y1 + 4]` with `y1 = y[i]`."""
    if owner.framework != "numpy":
        return index
    if isinstance(index, slice):
        return slice(*(size_in(m, end) if whole_tensor(end) else end for end in (index.start, index.stop, index.step)))
    return tuple(_cut(m, owner, one) for one in index) if type(index) is tuple else index


def _number(m: Interpreter, value: Value) -> Any:
    return as_size(m.memory.current(value)) if type(value) is TensorType else value


def _plainer(m: Interpreter, index: Value, found: Value) -> Value:
    """`x[i : i + n]` and `x[:n, 0]` of which the facts tell that they lie inside: n long."""
    if not isinstance(found, TensorType) or not found.shape.known:
        return found
    given = _numbers(m, index)
    sizes, axis = list(found.shape), 0
    for cut in given if isinstance(given, tuple) else (given,):
        if cut is Ellipsis or isinstance(cut, (List, TensorType, Unknown)) or axis >= len(sizes):
            break
        if isinstance(cut, (int, Term)) and not isinstance(cut, bool):
            continue
        if isinstance(cut, slice) and isinstance(sizes[axis], Term):
            sizes[axis] = _stated_length(m, cut, sizes[axis])
        axis += 1
    if all(a is b for a, b in zip(sizes, found.shape)):
        return found
    return found.sized(Shape(sizes), contents=found.contents)


def _stated_length(m: Interpreter, cut: slice, size: Any) -> Value:
    """The length of a slice as it is written, where the facts tell that it is so long."""
    start = 0 if cut.start is None else cut.start
    if cut.step not in (None, 1) or not isinstance(start, (int, Term)) or not isinstance(cut.stop, (int, Term)):
        return size
    length = cut.stop - start
    if isinstance(length, int) and length < 0:
        return size
    if settled(size, m.facts) == length:
        return length
    return length if isinstance(asked := eq(size, length), Predicate) and m.implied(asked) else size


def _from_sequence(m: Interpreter, owner: Any, index: Value, node: ast.AST) -> Value:
    if type(owner) is Union:  # the parameters of generic classes
        return owner
    sequence = owner.items if isinstance(owner, List) else owner
    index = _number(m, index)
    if isinstance(sequence, (list, tuple)) and is_summarised(sequence):
        return summarised_lists.item(m, sequence, tensors.sized(m, index) if isinstance(index, slice) else index, node)
    if isinstance(index, slice):
        return _slice_of(m, owner, sequence, index, node)
    if isinstance(index, TensorType) and whole_tensor(index) and index.facts is not None and index.facts.span is not None:
        index = number_of(m, index, node)
    if isinstance(index, Unknown) or whole_tensor(index):
        return _any_item(m, sequence, index, node)
    if isinstance(index, Choice):
        return m.branching.choose(index.condition, lambda: load(m, owner, index.then, node), lambda: load(m, owner, index.other, node))
    if isinstance(index, Term):
        return _symbolic_item(m, list(sequence), index, node)
    return _item_at(m, owner, sequence, hashing.whole(m, index, node) if isinstance(index, Instance) else index, node)


def _slice_of(m: Interpreter, owner: Any, sequence: Any, index: slice, node: ast.AST) -> Value:
    parts = [_number(m, p) for p in (index.start, index.stop, index.step)]
    open_part = summarised_lists.part_of(m, owner, parts) if any(isinstance(p, (Term, Unknown, TensorType)) for p in parts) else None
    if open_part is not None:
        return open_part
    if any(isinstance(p, Unknown) or whole_tensor(p) for p in parts):
        return Unknown("slice")
    if any(isinstance(p, (Term, Choice, Predicate)) for p in parts):
        parts = [deciding.concrete(m, p) for p in parts]
        if any(p is MISSING for p in parts):
            return m.gap("slice of a sequence", node, "by a size that is not known")
    try:
        found = list(sequence)[slice(*parts)] if isinstance(owner, List) else sequence[slice(*parts)]
    except (TypeError, ValueError) as error:
        raise m.raised(type(error).__name__, f"{type(error).__name__}: {error}", node) from None
    return List(m.heap.row(found)) if isinstance(owner, List) else torch_sizes.like(m, owner, found)


def _item_at(m: Interpreter, owner: Value, sequence: Any, index: Value, node: ast.AST) -> Value:
    """The item at a position that must be a whole number."""
    if not isinstance(index, int):
        raise m.raised("TypeError", f"a {type(owner).__name__.lower()} is indexed by whole numbers, not by {type(index).__name__}", node)
    if not -len(sequence) <= index < len(sequence):
        if owner is m.model_state.get("sys.argv") and not m.argv and index > 0:
            return Unknown(f"sys.argv[{index}]", text=True, key=f"sys.argv[{index}]")  # the user's to give
        raise m.raised("IndexError", f"index {index} is out of range for {len(sequence)} items", node)
    return sequence[index]


def _any_item(m: Interpreter, sequence: Sequence[Value], index: Value, node: ast.AST) -> Value:
    """An item at a position that was read from data: it is taken to be there."""
    if misses(m, index, len(sequence)):
        m.gap("item at a place that was chosen by value", node, f"whether it lies in the sequence of {len(sequence)} items is not known")
    if isinstance(sequence, str):
        return TEXT
    at = size_in(m, index) if not isinstance(index, Unknown) or index.number == "int" else None
    try:
        return one_of(m, list(sequence), at, node) if sequence and isinstance(at, Term) else Unknown("subscript")
    except Unlike:
        return Unknown("subscript")


def _read(index: Term) -> bool:
    """Whether an index is a number as it was read from data: it is taken to be in range."""
    atom = sole_atom(index)
    return atom is not None and atom.kind == "symbol" and atom.origin is Origin.UNMODELLED and atom.lo <= -(1 << 62)


def _symbolic_item(m: Interpreter, sequence: list[Value], index: Term, node: ast.AST) -> Value:
    """An item at a position that is not known: it must be in range, and when all items are alike it is one of them."""
    from tensorproof.terms.predicates import eq

    count = len(sequence)
    if not _read(index):
        m.demand("IndexError", conj(ge(index, -count), lt(index, count)), f"index {index!r} is out of range for {count} items", node)
    if all(one is sequence[0] for one in sequence):
        return sequence[0]
    if count > 64 or all(map(holds_lists, sequence)):
        try:
            return one_of(m, sequence, index, node)
        except Unlike:
            if count > 64:
                return m.gap("item at a size that is not known", node, f"of {count} different items")
    result: Value = MISSING
    try:
        for i in reversed(range(count)):
            here = disj(eq(index, i), eq(index, i - count))
            if here is not False:
                result = sequence[i] if result is MISSING else join(here, sequence[i], result, m.path.program)
    except CannotJoin:
        try:
            return one_of(m, sequence, index, node)
        except Unlike:
            pass
        for i in range(count):
            if deciding.decided(m, disj(eq(index, i), eq(index, i - count))):
                return sequence[i]
    return result


def _one_text(owner: Dict, index: Value) -> bool:
    """Whether an index, whichever number it is, leads to a text: no path is spent on which."""
    number = index.contents[0] if isinstance(index, TensorType) and index.contents and index.shape.known and not index.shape else index
    if not isinstance(number, Term) or upper(number) - lower(number) >= len(owner.items):
        return False
    return all(isinstance(owner.items.get(n), str) for n in range(int(lower(number)), int(upper(number)) + 1))


def _from_dict(m: Interpreter, owner: Dict, index: Value, node: ast.AST) -> Value:
    if _one_text(owner, index):
        return TEXT
    known = key(m, index, node)
    if isinstance(known, Unknown):
        return known if not owner.items and owner.default is None else _from_open(m, owner, index, node)
    value = owner.items.get(known, MISSING)
    if value is MISSING and isinstance(known, Instance):
        same = hashing.equal_key(m, owner.items, known, node)
        value = owner.items.get(registry.plain_member(known) if same is MISSING else same, MISSING)  # a member of an enumeration of texts is that text
    if value is MISSING and m.modules.registered(m, owner, known, owner.default is None):
        value = owner.items.get(known, MISSING)
    if value is MISSING:
        if (there := summarised_entries.entry(m, owner, known, lambda: summarised_entries.absent(m, owner, known, index, node))) is not MISSING:
            return there
        if OPEN in owner.items:
            return _from_open(m, owner, index, node)
        return summarised_entries.absent(m, owner, known, index, node)
    return value


def _from_open(m: Interpreter, owner: Dict, index: Value, node: ast.AST) -> Value:
    """An entry that may be any: a defaultdict makes it where it is missing."""
    if owner.default is None:
        return summarised_lists.found(m, owner, 0 if owner.counter else MISSING, node)
    held = summarised_lists.shared_list(m, owner, node)
    if held is not None:
        return held
    made = m.call(owner.default, (), {}, node)
    value = summarised_lists.found(m, owner, made, node) if owner.items else made
    if isinstance(value, List):
        value.several = True
    summarised_lists.put(m, owner, index, value, node)
    return value


def store(frame: Frame, owner: Value, index: Value, value: Value, node: ast.AST) -> None:
    m = frame.machine
    refuse_index(m, owner, index, node)
    match owner:
        case List():
            _into_list(m, owner, index, value, node)
        case Dict():
            known = key(m, index, node)
            if isinstance(known, Unknown):
                summarised_lists.put(m, owner, index, value, node)
            else:
                summarised_entries.replaced(m, owner, known)
                m.heap.set(owner.items, known, value)
        case TensorType():
            if owner.framework == "tf":
                from tensorproof.libraries.tensorflow import tensors as tf_tensors

                tf_tensors.refuse_items(m, owner, node)
            if owner.framework == "numpy":
                traced.refuse_truth(m, value, node, "an item of an array")
            m.spelling(f"{tensors.tensor_class(owner)}.__setitem__", (owner, _cut(m, owner, index), value), {}, node)
        case Instance():
            found, _ = in_class(m, owner.cls, "__setitem__")
            if found is not MISSING:
                m.call(Bound(found, owner), (index, value), {}, node)
            else:
                registry.set_item(m, owner, index, value, node)
        case Layer() | Model():
            registry.set_item(m, owner, index, value, node)
        case Unknown():
            pass
        case Choice():
            chosen = m.branching.choose(
                owner.condition, lambda: store(frame, owner.then, index, value, node), lambda: store(frame, owner.other, index, value, node)
            )
            assert chosen is None
        case tuple() | str():
            raise m.raised("TypeError", f"a {type(owner).__name__} cannot be changed", node)
        case _:
            m.gap("item assignment", node)


def _into_list(m: Interpreter, owner: List, index: Value, value: Value, node: ast.AST) -> None:
    index = _number(m, index)
    if is_summarised(owner.items):
        summarised_lists.set_item(m, owner, index, value, node)
        return
    if isinstance(index, Term):
        _into_symbolic(m, owner, index, value, node)
        return
    if isinstance(index, (Choice, Predicate)):
        index = deciding.concrete(m, index)
    if isinstance(index, Unknown):
        m.gap("list[…] = …", node, "the index is not known")
        return
    if isinstance(index, slice):
        parts = [deciding.concrete(m, p) for p in (index.start, index.stop, index.step)]
        if any(p is MISSING or isinstance(p, Unknown) for p in parts):
            m.gap("list[…:…] = …", node, "by a size that is not known")
            return
        index = slice(*parts)
        found = m.iterate(value, node)
        if found is None:
            m.gap("list[…:…] = …", node, "the value is not known")
            return
        m.heap.touch(owner.items)
        try:
            owner.items[index] = found
        except ValueError as error:
            raise m.raised("ValueError", f"ValueError: {error}", node) from None
        return
    if not isinstance(index, int) or not -len(owner.items) <= index < len(owner.items):
        raise m.raised("IndexError", f"index {index!r} is out of range for {len(owner.items)} items", node)
    m.heap.touch(owner.items)
    owner.items[index] = value


def _into_symbolic(m: Interpreter, owner: List, index: Term, value: Value, node: ast.AST) -> None:
    """An item at a position that is not known: each becomes the new one, or stays."""
    from tensorproof.terms.predicates import eq

    count = len(owner.items)
    m.demand("IndexError", conj(ge(index, -count), lt(index, count)), f"index {index!r} is out of range for {count} items", node)
    if count > 64:
        m.gap("list[…] = …", node, "the index is not known")
        return
    try:
        new = [join(disj(eq(index, i), eq(index, i - count)), value, old, m.path.program) for i, old in enumerate(owner.items)]
    except CannotJoin:
        new = [value if deciding.decided(m, disj(eq(index, i), eq(index, i - count))) else old for i, old in enumerate(owner.items)]
    m.heap.touch(owner.items)
    owner.items[:] = new


def delete(m: Interpreter, owner: Value, index: Value, node: ast.AST) -> None:
    refuse_index(m, owner, index, node)
    match owner:
        case Dict():
            dict_methods.delete(m, owner, index, node)
        case List():
            at = index if isinstance(index, slice) else deciding.concrete(m, _number(m, index))
            if isinstance(at, slice):
                at = slice(*(deciding.concrete(m, _number(m, p)) for p in (at.start, at.stop, at.step)))
            list_methods.delete(m, owner, at, node)
        case Instance():
            found, _ = in_class(m, owner.cls, "__delitem__")
            if found is not MISSING:
                m.call(Bound(found, owner), (index,), {}, node)
            elif isinstance(owner.native, Layer):
                layers.delete_item(m, owner.native, index, node)
            else:
                raise m.raised("TypeError", f"items of {owner.cls.name} cannot be deleted", node)
        case Layer():
            layers.delete_item(m, owner, index, node)
        case _:
            m.gap("del x[…]", node)
