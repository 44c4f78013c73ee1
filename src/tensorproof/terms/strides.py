"""The steps in memory from one element of an axis to the next, and how libraries lay out a result of given operands.

Steps are exact, those of axes of size 1 too: by them torch tells whether pictures have their channels last.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensorproof.terms.ints import Dim
from tensorproof.terms.predicates import eq, ge, gt

Steps = tuple[Dim, ...]
Laid = tuple[Sequence[Dim], Steps]
"""The sizes and the steps of an operand."""
_PICTURES = {4: (1, 3, 2, 0), 5: (1, 4, 3, 2, 0)}
"""The axes of pictures with the channels last, by their number, the innermost first."""


def row_major(shape: Sequence[Dim]) -> Steps:
    """The strides of a contiguous tensor; as in torch, an axis of size 0 counts as 1."""
    return _dense(shape, range(len(shape) - 1, -1, -1))


def channels_last(shape: Sequence[Dim]) -> Steps:
    """The steps of pictures or videos with the channels last."""
    return _dense(shape, _PICTURES[len(shape)])


def _dense(shape: Sequence[Dim], inner_first: Sequence[int]) -> Steps:
    made: list[Dim] = [1] * len(shape)
    step: Dim = 1
    for axis in inner_first:
        made[axis] = step
        if shape[axis] != 0:
            step = step * shape[axis]
    return tuple(made)


def compact(shape: Sequence[Dim], steps: Sequence[Dim]) -> bool:
    """Whether these steps are surely those of a contiguous tensor."""
    return any(size == 0 for size in shape) or all(a is b or a == b or size == 1 for a, b, size in zip(steps, row_major(shape), shape))


def strides_or_none(shape: Sequence[Dim], steps: Sequence[Dim]) -> Steps | None:
    """None where these are the strides of a contiguous tensor, unless torch takes it for pictures with the channels last as well."""
    return None if compact(shape, steps) and suggests_last(shape, steps) is False else tuple(steps)


def suggests_last(shape: Sequence[Dim], steps: Sequence[Dim]) -> bool | None:
    """Whether torch takes a tensor for pictures with the channels last, which its results then have as well; None where that is not known."""
    if len(shape) not in _PICTURES or any(size == 0 for size in shape):
        return False
    channel = steps[1]
    if channel == 0:
        return False
    inner: list[Dim] = []
    known = True
    for axis in _PICTURES[len(shape)]:
        enough = [ge(steps[axis], least) for least in inner]
        ambiguous = axis == 0 and eq(inner[-1], channel)
        if False in enough or ambiguous is True:
            return False
        known = known and enough[-1:] in ([], [True]) and ambiguous is False
        inner.append(steps[axis] * shape[axis])
    return True if known else None


def laid_like(shape: Sequence[Dim], operands: Sequence[Laid], numbers: bool, absolute: bool = False) -> Steps | None:
    """The steps of a new tensor that is computed element by element; None where they are not known.

    `numbers`: a Python number is among the operands. `absolute`: as NumPy does it, where operands that lie in different orders give C order.
    """
    whole = [steps for sizes, steps in operands if len(sizes) == len(shape) and all(a is b or a == b for a, b in zip(sizes, shape))]
    spread = [_spread(shape, one, absolute) for one in operands]
    general = _sorted(shape, spread, absolute)
    if absolute or len(whole) < len(operands):
        return general
    quick = _alike(shape, whole)
    if quick is None or (numbers and general is not None and general != quick):
        return general if quick is None else None
    return quick


def _alike(shape: Sequence[Dim], operands: list[Steps]) -> Steps | None:
    """What torch sees at once: operands of one shape that all lie alike."""
    if all(compact(shape, steps) for steps in operands):
        return row_major(shape)
    if len(shape) in _PICTURES and all(_same(shape, steps, channels_last(shape)) for steps in operands):
        return channels_last(shape)
    first = operands[0]
    return first if all(steps == first for steps in operands) and _is_dense(shape, first) else None


def _same(shape: Sequence[Dim], a: Steps, b: Steps) -> bool:
    return all(x is y or x == y or size == 1 for x, y, size in zip(a, b, shape))


def _is_dense(shape: Sequence[Dim], steps: Steps) -> bool:
    """Whether the elements surely fill a piece of memory without gaps, each in a place of its own."""
    left = [(size, step) for size, step in zip(shape, steps) if size != 1]
    expected: Dim = 1
    while left:
        found = next((axis for axis in left if axis[1] == expected), None)
        if found is None:
            return False
        left.remove(found)
        expected = expected * found[0]
    return True


def _spread(shape: Sequence[Dim], operand: Laid, absolute: bool) -> Steps | None:
    """The steps of an operand along the axes of the result: 0 where it has one element for all; None where that is not known."""
    sizes, steps = operand
    lead = len(shape) - len(sizes)
    if any(size != 1 and size != wanted for size, wanted in zip(sizes, shape[lead:])):
        return None
    return (0,) * lead + tuple(0 if size == 1 and (absolute or wanted != 1) else step for size, step, wanted in zip(sizes, steps, shape[lead:]))


def copied(shape: Sequence[Dim], steps: Steps, absolute: bool = False) -> Steps | None:
    """The steps of a copy that keeps the order of memory; None where they are not known."""
    return steps if not absolute and _is_dense(shape, steps) else laid_like(shape, [(shape, steps)], False, absolute)


def _sorted(shape: Sequence[Dim], given: list[Steps | None], absolute: bool) -> Steps | None:
    """Axes are put in the order of their steps by an insertion sort, in which a comparison that says nothing leaves two where they are."""
    operands = [steps for steps in given if steps is not None]
    if len(operands) < len(given):
        return None
    order = list(range(len(shape) - 1, -1, -1))
    for i in range(1, len(order)):
        at = i
        for before in range(i - 1, -1, -1):
            swap = (_swaps_absolute if absolute else _swaps)(shape, operands, order[before], order[at])
            if swap is None:
                return None
            if swap < 0:
                break
            if swap > 0:
                order[before], order[at] = order[at], order[before]
                at = before
    return _dense(shape, order)


def _swaps(shape: Sequence[Dim], operands: list[Steps], first: int, second: int) -> int | None:
    """1 where the first axis comes after the second, -1 where before, 0 where nothing says so, None where that is not known."""
    for steps in operands:
        a, b = steps[first], steps[second]
        if a == 0 or b == 0:
            continue
        if a == b:
            larger = gt(shape[first], shape[second])
            if larger is True:
                return 1
            if larger is not False:
                return None
            continue
        if ge(b, a) is True:
            return -1
        return 1 if ge(a, b) is True else None
    return 0


def _swaps_absolute(shape: Sequence[Dim], operands: list[Steps], first: int, second: int) -> int | None:
    found = 0
    for steps in operands:
        a, b = (step if ge(step, 0) is True else -step for step in (steps[first], steps[second]))
        if a == 0 or b == 0:
            continue
        if ge(b, a) is True:
            return -1
        if ge(a, b) is not True:
            return None
        found = 1
    return found
