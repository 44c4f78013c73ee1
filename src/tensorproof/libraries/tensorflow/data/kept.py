"""What a tf.data.Dataset keeps, with its types: the last element where it may differ, and what is known of the length."""

from __future__ import annotations

from tensorproof.terms import Dim, Term, Truth
from tensorproof.values import Key, Model, Value, slot

LAST: Key[tuple[Truth, Value] | None] = slot("last")
"""The last element where it may differ from the others, with the condition under which it comes."""
OPENED: Key[bool] = slot("opened")
"""Whether static inference does not know the first axis."""
COUNTED: Key[bool] = slot("counted")
"""Whether TensorFlow itself knows the length."""
REGULAR: Key[int] = slot("regular")
"""How many regular elements come before the first smaller one, in a dataset that is repeated."""


def last_of(dataset: Model) -> tuple[Truth, Value]:
    """The last element of a dataset in which it may differ."""
    found = dataset.space[LAST]
    assert found is not None
    return found


def size_of(count: Value) -> Dim:
    """How many elements there are, of a dataset that ends."""
    assert isinstance(count, (int, Term))
    return count
