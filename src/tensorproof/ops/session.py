"""What the calls on one path share, and how a rule ends without a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorproof.ops.applied import Applied
from tensorproof.ops.record import Requirement
from tensorproof.terms.dtypes import BOOL, COMPLEX64, FLOAT32, INT64, DType
from tensorproof.terms.facts import learn
from tensorproof.terms.ints import Dim, Origin, Term, symbol
from tensorproof.terms.labels import label
from tensorproof.terms.records import dataclass, field
from tensorproof.terms.shapes import Segment, Shape
from tensorproof.terms.tensor import TensorType


class Refused(Exception):
    """A requirement fails whatever the symbols are."""

    def __init__(self, requirement: Requirement) -> None:
        super().__init__(requirement.message)
        self.requirement = requirement


class GiveUp(Exception):
    """The rule cannot tell; the reason is for the list of gaps."""


@dataclass(slots=True)
class Session:
    """What calls share on one path: the framework, the requirements stated, and the supply of fresh symbols."""

    framework: str = "torch"
    requirements: list[Requirement] = field(default_factory=list[Requirement])
    site: str = ""
    made: int = 0
    names: set[str] = field(default_factory=set[str])
    """The names of all symbols and flags made so far; a loop looks here for those that one round made."""
    wholes: set[str] = field(default_factory=set[str])
    """The keys of unknown values that were taken as one whole number: they are no lists of sizes."""
    default_float: DType = FLOAT32
    default_device: str | None = None
    """Where tensors and layers are made that name no device; None is the CPU."""
    recording: bool = True
    """Whether gradients may be recorded."""
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """What libraries compute differently, as this framework does it, by operator (bindings/options)."""
    everywhere: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The same for all operators that say nothing themselves."""
    casts: dict[str, DType | None] = field(default_factory=dict[str, DType | None])
    """Under autocast: the lower precision for each kind of device, None where it is not known."""
    typed: frozenset[str] = frozenset()
    """Inputs whose element types the spelling has checked by its own list, which may be wider than the operator's."""
    counted: bool = False
    """Whether the number of true elements of any mask is known."""
    written: list[Any] = field(default_factory=list[Any])
    """The tensors that the present call writes into."""
    applied: list[Applied] = field(default_factory=list[Applied])
    """The operators that the present call applied, in order."""

    lenient: bool = False
    """Whether a requirement that fails is taken to hold: how a path goes on after an error."""
    failed: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    """The sizes that disagree in a call under that assumption."""
    segments: dict[str, Segment] = field(default_factory=dict[str, Segment])
    """The segments of open shapes among the inputs of calls, by name."""
    rerun: bool = False
    """Whether a step of a graph runs that was built before: what is checked at building alone is not checked again."""

    def number_in(self, tensor: TensorType) -> Dim:
        """The unknown whole number in a tensor of one element, one symbol for each: `tf.zeros([n, 3])` and `tf.ones([n, 3])` have one size."""
        known = tensor.facts.number if tensor.facts is not None else None
        if known is None:
            known = self.fresh("number", 0)
            learn(tensor, number=known)
        return known

    def fresh(self, name: str, lo: int = 0, hi: int | None = None) -> Term:
        """A size that the rule cannot tell, such as a count of non-zeros: it gets the benefit of the doubt."""
        self.made += 1
        made = label(f"{name}{self.site}#{self.made}", name)
        self.names.add(made)
        return symbol(made, lo, hi, Origin.UNMODELLED)


def python_number(value: object) -> TensorType:
    """A Python number as the weak zero-dimensional tensor that it acts as."""
    kind = BOOL if isinstance(value, bool) else INT64 if isinstance(value, (int, Term)) else COMPLEX64 if isinstance(value, complex) else FLOAT32
    return TensorType(Shape(), kind, weak=True, contents=(value,))
