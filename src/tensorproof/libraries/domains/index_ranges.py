"""The labels of known data: the ranges of the numbers that batches of their samples hold."""

from __future__ import annotations

from typing import Any

from tensorproof.libraries.domains.label_ranges import note, of
from tensorproof.terms import Origin, TensorType, Term, sole_atom, symbols
from tensorproof.values import MISSING, Dict, Instance, List, Machine, Model, Value

Range = tuple[Any, Any]

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


def labelled(m: Machine, first: Value, second: Value, batch: Value, sure: bool) -> Value:
    """A batch with the ranges of the numbers that its samples hold."""
    if isinstance(batch, TensorType):
        known = [_of_sample(m, v, sure) for v in (first, second)]
        if known[0] is not None and known[1] is not None and all(type(v) is int for k in known if k for v in k):
            note(m, batch, min(k[0] for k in known if k), max(k[1] for k in known if k))
        elif known[0] is not None and known[0] == known[1]:
            note(m, batch, *known[0])
    elif isinstance(batch, (List, tuple)):
        parts, ones, twos = (list(v.items if isinstance(v, List) else v) if isinstance(v, (List, tuple)) else [] for v in (batch, first, second))
        for one, a, b in zip(parts, ones, twos):
            labelled(m, a, b, one, sure)
    elif isinstance(batch, Dict) and isinstance(first, Dict) and isinstance(second, Dict):
        for key, one in batch.items.items():
            labelled(m, first.items.get(key, MISSING), second.items.get(key, MISSING), one, sure)
    return batch


def _of_sample(m: Machine, value: Value, sure: bool) -> Range | None:
    if isinstance(value, TensorType):
        return of(m, value) if m.ranged and value.contents is None else None
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
