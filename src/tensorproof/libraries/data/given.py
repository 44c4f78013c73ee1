"""`--data NAME=60000x(1,28,28)`: what the user says of a dataset stands in place of what the program or a model would say.

NAME is a class or a function of the program, or a library's function, by its last name or in full. Of a class of the program, `__len__` and
`__getitem__` are replaced; what a function would return becomes such a dataset.
"""

from __future__ import annotations

import ast

from tensorproof.libraries.data.samples import LENGTH, unknown_length
from tensorproof.libraries.model import KindModel, Run
from tensorproof.terms import Origin, Shape, TensorType
from tensorproof.values import Class, Machine, Model, Native, Unknown, Value
from tensorproof.values.directives import Dataset

KIND = "tensorproof.data"


def given_for(m: Machine, name: str) -> Dataset | None:
    """What the user said of a name."""
    for word in (name, name.rpartition(".")[2]):
        found: Dataset | None = m.directives.data.get(word)
        if found is not None:
            m.directives.met.add(word)
            return found
    return None


def sample(m: Machine, given: Dataset, node: ast.AST) -> Value:
    """One sample: a tensor, or a tuple of several."""

    def size(at: int, axis: int, said: int | str | None) -> Value:
        if isinstance(said, int):
            return said
        return m.symbol(said or m.name_here(f"size {at}.{axis} of a sample", node), 0 if said is None else 1, None, Origin.USER)

    parts = tuple(TensorType(Shape([size(at, i, s) for i, s in enumerate(p.sizes)]), p.dtype) for at, p in enumerate(given.parts))
    return parts[0] if len(parts) == 1 else parts


def _item(m: Machine, given: Dataset, index: Value, node: ast.AST) -> Value:
    if type(index) is int and given.count is not None and not -given.count <= index < given.count:
        raise m.raised("IndexError", f"index {index} is out of range for {given.count} samples", node)
    return sample(m, given, node)


def of_class(m: Machine, cls: Class) -> None:
    """Put what was said into a class of the program that is just made."""
    given = given_for(m, cls.name)
    if given is None:
        return
    if given.count is not None:
        m.heap.set(cls.space, "__len__", Native(f"{cls.name}.__len__", lambda mm, a, k, n: given.count))
    if given.parts:
        m.heap.set(cls.space, "__getitem__", Native(f"{cls.name}.__getitem__", lambda mm, a, k, n: _item(mm, given, a[1], n)))


def of_call(m: Machine, name: str, function: Value, node: ast.AST) -> Value:
    """What a named function gives: the dataset alone, or its own result with the given length. None when nothing was said of it."""
    given = given_for(m, name)
    if given is None or isinstance(function, Class):
        return None
    if given.parts:
        space: dict[Value, Value] = {"given": given} | ({} if given.count is None else {LENGTH: given.count})
        return Model(KIND, m.heap.space(space), m.user_span(node))
    return None


def with_length(m: Machine, name: str, made: Value) -> Value:
    """What a library's own model made, with the given number of samples."""
    given = given_for(m, name)
    if given is not None and given.count is not None and isinstance(made, Model):
        m.heap.set(made.space, LENGTH, given.count)
    return made


def _length(m: Machine, me: Model, node: ast.AST) -> Value:
    if LENGTH not in me.space:
        m.heap.set(me.space, LENGTH, unknown_length(m, node))
    return me.space[LENGTH]


KINDS = {
    KIND: KindModel(
        attribute=lambda m, me, name, n: Unknown(f"{name} of a dataset that was declared"),
        length=_length,
        item=lambda m, me, index, node: _item(m, me.space["given"], index, node),
        bases=("torch.utils.data.Dataset",),
    )
}
FUNCTIONS: dict[str, Run] = {}
CLASSES: dict[str, Run] = {}
