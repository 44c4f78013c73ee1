"""What a module demands of its inputs, made as plain as it can be: sizes that are fixed are written in, the rest are conditions."""

from __future__ import annotations

from typing import Any

from tensorproof.solve.layered import LayeredSolver
from tensorproof.solve.port import Answer
from tensorproof.terms.ints import Atom, Dim, Origin, Term, single, sole_atom
from tensorproof.terms.predicates import Predicate, Truth, conj, eq, implies, le
from tensorproof.terms.records import dataclass, replace
from tensorproof.terms.shapes import Shape
from tensorproof.terms.substitution import substitute, symbols
from tensorproof.terms.tensor import TensorType
from tensorproof.values.objects import Dict, List
from tensorproof.values.path import Path


@dataclass(frozen=True, slots=True)
class Contract:
    module: str
    inputs: dict[str, str]
    where: list[str]
    outputs: list[str]
    shapes: dict[str, tuple[Any, ...]]
    dtypes: dict[str, str]

    def only_last_axis(self) -> bool:
        """Whether only the last axis of the one input is fixed, and the others pass through."""
        if len(self.shapes) != 1 or self.where:
            return False
        (shape,) = self.shapes.values()
        return all(sole_atom(axis) is not None for axis in shape[:-1])

    def any_rank(self) -> Contract:
        """The same contract for inputs of any rank."""
        (name,) = self.shapes
        last = self.shapes[name][-1]
        lead = ", ".join(repr(a) for a in self.shapes[name][:-1])
        outputs = [o.replace(f"({lead}, ", "(*, ") for o in self.outputs]
        return replace(self, inputs={name: f"(*, {last!r})"}, outputs=outputs)

    def __str__(self) -> str:
        inputs = ", ".join(f"{n} {s}" + ("" if self.dtypes[n] == "float32" else f" {self.dtypes[n]}") for n, s in self.inputs.items())
        where = (", " + ", ".join(self.where)) if self.where else ""
        return f"{self.module}: {inputs}{where} → {', '.join(self.outputs) or 'nothing'}"


def contract_of(name: str, inputs: dict[str, TensorType], output: object, paths: list[Path]) -> Contract:
    demands: list[Truth] = []
    for path in paths:
        for stated in path.stated:
            if symbols(stated.requirement.predicate) and all(a.origin is Origin.USER for a in symbols(stated.requirement.predicate)):
                demands.append(implies(conj(*(f for f in stated.facts if all(a.origin is Origin.USER for a in symbols(f)))), stated.requirement.predicate))
    fixed, solved = _fixed(demands, inputs)
    left = remaining([_put(d, {**fixed, **solved}) for d in demands])
    where = [f"{a.name} == {v!r}" for a, v in solved.items()] + [shown(p) for p in left]
    shapes = {n: tuple(_axis(a, fixed) for a in t.shape) for n, t in inputs.items()}
    return Contract(
        name, {n: repr(Shape(s)) for n, s in shapes.items()}, where, _outputs(output, {**fixed, **solved}), shapes,
        {n: t.dtype.label if t.dtype is not None else "?" for n, t in inputs.items()},
    )  # fmt: skip


def shown(p: Predicate) -> str:
    """A condition as people would write it: `H >= 64` for `4 <= H // 16`, `H % 2 == 0` for `2 * ((H + 1) // 2) == H`."""
    term: Term | None = p.args[0] if p.kind in ("le", "eq") else None
    parts = term.parts if term is not None else ()
    if term is not None and len(parts) == 2:
        constant = next((c for monomial, c in parts if not monomial), None)
        divided = next((part for part in parts if len(part[0]) == 1 and part[0][0][1] == 1 and part[0][0][0].kind == "//"), None)
        if divided is not None:
            above: Dim
            below: Dim
            above, below = divided[0][0][0].args
            if p.kind == "le" and divided[1] == -1 and constant is not None and type(below) is int:
                return repr(le(constant * below, above)) if constant <= 0 or sole_atom(above) is None else f"{above!r} >= {constant * below}"
            rest = (term - single(divided[0], divided[1])) * -1
            off = rest - above
            if p.kind == "eq" and divided[1] == below and isinstance(below, int) and isinstance(off, int) and -below < off <= 0:
                return f"{rest!r} % {below} == 0"
    return repr(p)


def _axis(axis: object, values: dict[Atom, Dim]) -> Any:
    return substitute(axis, values) if isinstance(axis, Term) else axis


def _put(predicate: Truth, values: dict[Atom, Dim]) -> Truth:
    return predicate if isinstance(predicate, bool) else predicate.substitute(values)


def _fixed(demands: list[Truth], inputs: dict[str, TensorType]) -> tuple[dict[Atom, Dim], dict[Atom, Dim]]:
    """Sizes that a demand states outright, and those that all demands together leave one value."""
    fixed: dict[Atom, Dim] = {}
    axes = {a for t in inputs.values() for axis in t.shape for a in symbols(axis)}
    changed = True
    while changed:
        changed = False
        for demand in demands:
            now = _put(demand, fixed)
            if isinstance(now, Predicate) and now.kind == "eq":
                atom, value = _solution(now, axes)
                if atom is not None and atom not in fixed:
                    fixed = {a: _axis(v, {atom: value}) for a, v in fixed.items()}
                    fixed[atom] = value
                    changed = True
    rest = [d for d in (_put(d, fixed) for d in demands) if isinstance(d, Predicate)]
    solved: dict[Atom, Dim] = {}
    if rest:
        solver = LayeredSolver()
        for demand in rest:
            solver.assume(demand)
        found = solver.check()
        if found.answer is Answer.SAT:
            for atom in sorted(axes - set(fixed), key=lambda a: a.order):
                one = found.witness.get(atom.name)
                if one is not None and solver.proves(eq(_term(atom), one)) is True:
                    solved[atom] = one
    return fixed, solved


def _term(atom: Atom) -> Dim:
    return single(((atom, 1),), 1)


def _solution(p: Predicate, axes: set[Atom]) -> tuple[Atom | None, Dim]:
    """x == rest, where x stands alone with factor one and does not stand in the rest: a number, or another size when x is an input's."""
    term: Term = p.args[0]
    for monomial, coefficient in sorted(term.parts, key=lambda part: -max((a.order for a, _ in part[0]), default=0)):
        if len(monomial) == 1 and monomial[0][1] == 1 and monomial[0][0].kind == "symbol" and abs(coefficient) == 1:
            atom = monomial[0][0]
            rest = (term - _term(atom) * coefficient) * -coefficient
            if atom not in symbols(rest) and (type(rest) is int or (atom in axes and sole_atom(rest) is not None)):
                return atom, rest
    return None, 0


def remaining(demands: list[Truth]) -> list[Predicate]:
    """The demands that the others do not imply."""
    left = [d for d in dict.fromkeys(demands) if isinstance(d, Predicate)]
    kept: list[Predicate] = []
    for i, demand in enumerate(left):
        solver = LayeredSolver()
        for other in kept + left[i + 1 :]:
            solver.assume(other)
        if solver.proves(demand) is not True:
            kept.append(demand)
    return kept


def _outputs(value: object, values: dict[Atom, Dim]) -> list[str]:
    match value:
        case TensorType():
            return [repr(Shape(_axis(a, values) for a in value.shape))]
        case tuple():
            return [o for v in value for o in _outputs(v, values)]
        case List():
            return [o for v in value.items for o in _outputs(v, values)]
        case Dict():
            return [o for v in value.items.values() for o in _outputs(v, values)]
        case None:
            return []
        case _:
            return ["?"]
