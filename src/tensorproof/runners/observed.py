"""What a real library did with a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from tensorproof.terms.ints import Dim
    from tensorproof.terms.tensor import TensorType


class Seen(tuple[Any, ...]):
    """(shape, element type label) of a real tensor, which is kept so that its numbers can be asked for."""

    real: Any = None

    @classmethod
    def of(cls, shape: object, label: str, real: object) -> Seen:
        made = cls((shape, label))
        made.real = real
        return made

    def array(self) -> Any:
        """The numbers, as a NumPy array."""
        import numpy as np

        value = self.real
        if value is None:
            raise ValueError("its numbers are not known")
        if type(value).__module__.startswith("torch"):
            value = value.detach().to_dense() if str(value.layout) != "torch.strided" else value.detach()
            value = value.int_repr() if value.is_quantized else value.resolve_conj().resolve_neg()
            return (value.float() if self[1] in ("bfloat16", "float8_e4m3fn", "float8_e5m2") else value).numpy()
        made: Any = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
        return made.astype(np.float32) if made.dtype.kind == "V" else made  # bfloat16 and float8, which NumPy itself does not have


@dataclass(frozen=True, slots=True)
class Observed:
    """`outputs` is a nested tuple of (shape, element type label) or plain values; `error` is the library's own sentence.

    `aside` tells why the observation counts for neither side: the library disagrees with itself, or has no kernel here. `inferred`: a graph took the call,
    and no kernel was there to look at it.
    """

    outputs: Any = None
    error: str = ""
    aside: str = ""
    inferred: bool = False
    traced: str = ""
    """The refusal as a graph or a symbolic tensor says it, where the library has both; `error` is that of the call that computes at once."""

    @property
    def classes(self) -> tuple[str, str]:
        """The exception classes of a refused call: when it computes at once, and when it is traced."""
        now, later = (words.partition(":")[0] for words in (self.error, self.traced))
        return now, later or now


@runtime_checkable
class Made(Protocol):
    """A call that stands as an argument of another: its result is what is meant. `init` is None unless it makes a layer."""

    @property
    def name(self) -> str: ...
    @property
    def args(self) -> tuple[Any, ...]: ...
    @property
    def kwargs(self) -> dict[str, Any]: ...
    @property
    def init(self) -> dict[str, Any] | None: ...


def disagreement(ours: object, theirs: object) -> str:
    """How our outputs differ from an observation's; empty when they agree. Plain values of ours are not compared."""
    from tensorproof.terms.tensor import TensorType

    if isinstance(ours, TensorType):
        if ours.weak and not ours.shape and isinstance(theirs, (bool, int, float, complex)):
            return _numbers_differ(ours, theirs)
        return _tensors_differ(ours, theirs)
    if isinstance(ours, (tuple, list)) and isinstance(theirs, (tuple, list)):
        items: Any = theirs
        if len(items) == 2 and isinstance(items[1], str) and isinstance(items[0], tuple):
            return f"ours is {len(ours)} outputs, theirs is one tensor {theirs!r}"
        if len(ours) != len(items):
            return f"ours has {len(ours)} outputs, theirs {len(items)}"
        for mine, true in zip(ours, items):
            if found := disagreement(mine, true):
                return found
    return ""


def _numbers_differ(ours: TensorType, theirs: complex) -> str:
    """A Python number: its kind is compared."""
    kind = "b" if isinstance(theirs, bool) else "i" if isinstance(theirs, int) else "f" if isinstance(theirs, float) else "c"
    return "" if ours.dtype is None or ours.dtype.kind == kind else f"ours is a number {ours.dtype!r}, theirs is {theirs!r}"


def _tensors_differ(ours: TensorType, theirs: object) -> str:
    if not (isinstance(theirs, tuple) and len(theirs) == 2 and isinstance(theirs[1], str)):
        return f"ours is {ours!r}, theirs is {theirs!r}"
    shape, dtype = theirs
    if not ours.shape.known or shape is None:  # None: the library itself does not know
        return ""
    if len(shape) != len(ours.shape):
        return f"rank: ours {ours.shape!r}, theirs {shape!r}"
    if not all(_size_agrees(mine, true) for mine, true in zip(ours.shape, shape)):
        return f"shape: ours {ours.shape!r}, theirs {shape!r}"
    if ours.dtype is not None and ours.dtype.label != dtype:
        return f"element type: ours {ours.dtype!r}, theirs {dtype}"
    return ""


def _size_agrees(mine: Dim, true: int | None) -> bool:
    """Whether a size that was observed lies within the bounds of ours; None where the library itself does not know it."""
    from tensorproof.terms.ints import Term, bounds

    if true is None:
        return True
    lo, hi = bounds(mine)
    return not ((lo is not None and true < lo) or (hi is not None and true > hi) or (type(mine) is not Term and mine != true))
