"""Counts the vectors of each cause without listing them: variable elimination over tables, as a database joins and groups.

A table has a column for each of some symbols and intermediate sizes, how many vectors each row stands for, the check that these break first, and one of
them as an example. At first there is one table for each parameter. The next step is the check or intermediate size whose tables have the smallest product:
they are joined, what can be computed is, and columns that nothing needs any more are dropped, rows that became equal are summed. The sizes between layers
are few, however many vectors lead to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from tensorproof.diagnostics.errors import BadInput
from tensorproof.engines.space.arrays import Evaluation
from tensorproof.engines.space.checks import Check
from tensorproof.engines.space.listing import VALID
from tensorproof.engines.space.parameters import Parameter, Value
from tensorproof.engines.space.scenarios import Scenario
from tensorproof.engines.space.sums import replaced, same_sum
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Atom, Origin, of_atom, symbol
from tensorproof.terms.predicates import Predicate, Truth
from tensorproof.terms.records import dataclass
from tensorproof.terms.substitution import symbols

Array = Any
MOST_ROWS = BUDGETS.spaces.rows
NONE_CHOSEN: Mapping[str, int] = {}
MOST_ROWS_KEPT = BUDGETS.spaces.rows_kept
_NONE = 2**31 - 1


@dataclass(slots=True)
class Table:
    """Rows over `columns`; `weights` vectors each, of which `examples` holds one (a position for each parameter); `broken` is their first cause."""

    columns: dict[Atom, Array]
    weights: Array
    broken: Array
    examples: dict[str, Array]

    @property
    def rows(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, slots=True)
class Counted:
    """How many vectors break each check first, with one of them; those that break none are under `VALID`."""

    counts: dict[int, int]
    examples: dict[int, dict[str, int]]

    @property
    def valid(self) -> int:
        return self.counts.get(VALID, 0)


@dataclass(slots=True)
class _Goal:
    """A check to be applied, or an intermediate size to be computed, once its atoms are together in one table."""

    needs: frozenset[Atom]
    at: int
    truth: Truth = True
    atom: Atom | None = None


class Counting:
    """The elimination: tables, and the goals that are left."""

    def __init__(
        self, parameters: Sequence[Parameter], checks: Sequence[Check], keep: Iterable[Parameter] = (), most_rows: int = MOST_ROWS,
        chosen: Mapping[str, int] = NONE_CHOSEN,
    ) -> None:  # fmt: skip
        self.most_rows = most_rows
        self.chosen = chosen
        self.kept = frozenset(p.atom for p in keep)
        self.exact = np.int64 if prod(len(p.values) for p in parameters) < 2**62 else object
        self.tables: list[Table] = [self._first(p) for p in parameters]
        self.goals: list[_Goal] = []
        truths = self._summed([check.broken for check in checks], {p.atom for p in parameters} - self.kept)
        bases = {atom for table in self.tables for atom in table.columns}
        made: dict[Atom, None] = {}
        for at, truth in enumerate(truths):
            if truth is not False:
                self.goals.append(_Goal(_bases(truth, bases, made), at, truth))
        for atom in made:
            self.goals.append(_Goal(_bases_of_atom(atom, bases, made), _NONE, atom=atom))

    def _summed(self, truths: list[Truth], candidates: set[Atom]) -> list[Truth]:
        """The predicates with one column for parameters that stand everywhere in the same sum."""
        while (found := same_sum(truths, sorted(candidates, key=lambda a: a.order))) is not None:
            u, v, times = found
            used = [t for t in self.tables if u in t.columns or v in t.columns]
            table = self._joined(used, prod(t.rows for t in used))
            values = table.columns[v] + times * table.columns[u]
            total = symbol(f"{v.name} + {times}*{u.name}", int(values.min()), int(values.max()), Origin.USER)
            truths = replaced(truths, u, v, times, total)
            table.columns = {total.parts[0][0][0][0]: values}
            _group(table)
            self.tables = [*(t for t in self.tables if not any(t is one for one in used)), table]
            candidates = candidates - {u, v} | set(table.columns)
        return truths

    def _first(self, p: Parameter) -> Table:
        positions: Array = np.arange(len(p.values)) if p.name not in self.chosen else np.array([self.chosen[p.name]])
        count = len(positions)
        return Table({p.atom: np.array(p.numbers, np.int64)[positions]}, np.ones(count, self.exact), np.full(count, _NONE, np.int64), {p.name: positions})

    def run(self) -> Table:
        """One table with the columns that are kept, all else eliminated."""
        while self.goals:
            present = frozenset(atom for table in self.tables for atom in table.columns)
            goal = min((g for g in self.goals if g.needs <= present), key=self._cost)
            used = [t for t in self.tables if goal.needs & t.columns.keys()]
            table = self._joined(used, self._cost(goal))
            self._settle(table)
            self._drop(table)
            self.tables = [*(t for t in self.tables if not any(t is one for one in used)), table]
        for table in self.tables:
            self._drop(table)
        rows = prod(t.rows for t in self.tables)
        table = self._joined(self.tables, rows)
        self._drop(table)
        return table

    def _cost(self, goal: _Goal) -> int:
        return prod(t.rows for t in self.tables if goal.needs & t.columns.keys())

    def _joined(self, tables: list[Table], rows: int) -> Table:
        if rows > self.most_rows:
            raise TooLarge(rows)
        if not tables:
            one: Array = np.ones(1, self.exact)
            return Table({}, one, np.full(1, _NONE, np.int64), {})
        result = tables[0]
        for other in tables[1:]:
            n, m = result.rows, other.rows
            left: Array = np.repeat(np.arange(n), m)
            right: Array = np.tile(np.arange(m), n)
            result = Table(
                {**{a: c[left] for a, c in result.columns.items()}, **{a: c[right] for a, c in other.columns.items()}},
                result.weights[left] * other.weights[right],
                np.minimum(result.broken[left], other.broken[right]),
                {**{p: c[left] for p, c in result.examples.items()}, **{p: c[right] for p, c in other.examples.items()}},
            )  # fmt: skip
        return Table(dict(result.columns), result.weights, result.broken.copy(), dict(result.examples))

    def _settle(self, table: Table) -> None:
        """Compute and check what the columns of a table decide."""
        changed = True
        while changed:
            changed = False
            for goal in [g for g in self.goals if g.needs <= table.columns.keys()]:
                evaluation = Evaluation(table.columns)
                if goal.atom is not None:
                    table.columns[goal.atom] = np.broadcast_to(evaluation.atom(goal.atom), (table.rows,)).copy()
                    changed = True
                else:
                    broken = np.broadcast_to(evaluation.truth(goal.truth), (table.rows,))
                    np.minimum(table.broken, goal.at, out=table.broken, where=broken)
                self.goals = [g for g in self.goals if g is not goal]
        self.goals = [g for g in self.goals if g.atom is None or self._earliest(g.atom) is not None]

    def _drop(self, table: Table) -> None:
        """Drop columns that no goal needs, and make rows equal in what can no longer change their cause."""
        needed: dict[Atom, int] = {}
        for atom in table.columns:
            first = self._earliest(atom)
            if first is not None:
                needed[atom] = first
        columns = {a: c for a, c in table.columns.items() if a in needed or a in self.kept}
        for atom, first in needed.items():
            if atom not in self.kept:  # an earlier check than the one already broken never looks at this column
                late = table.broken < first
                if late.any():
                    columns[atom] = np.where(late, 0, columns[atom])
        table.columns = columns
        _group(table)

    def _earliest(self, atom: Atom) -> int | None:
        """The first check that depends on an atom, directly or through intermediate sizes."""
        found: int | None = None
        pending, seen = [atom], {atom}
        while pending:
            one = pending.pop()
            for goal in self.goals:
                if one in goal.needs:
                    if goal.atom is None:
                        found = goal.at if found is None else min(found, goal.at)
                    elif goal.atom not in seen:
                        seen.add(goal.atom)
                        pending.append(goal.atom)
        return found


def _group(table: Table) -> None:
    keys = [table.broken, *(np.asarray(c) for c in table.columns.values())]
    order = np.lexsort(keys)
    new: Array = np.zeros(table.rows, bool)
    new[:1] = True
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    first = order[starts]
    if table.rows:
        table.weights = np.add.reduceat(table.weights[order], starts)
    table.broken = table.broken[first]
    table.columns = {a: c[first] for a, c in table.columns.items()}
    table.examples = {p: c[first] for p, c in table.examples.items()}


class TooLarge(BadInput):
    def __init__(self, rows: int) -> None:
        super().__init__(f"the parameters are coupled too closely to be counted without listing: a table would have {rows:,} rows")


def count(parameters: Sequence[Parameter], checks: Sequence[Check]) -> Counted:
    """How many vectors break each check first."""
    table = Counting(parameters, checks).run()
    counts: dict[int, int] = {}
    examples: dict[int, dict[str, int]] = {}
    for row in range(table.rows):
        at = int(table.broken[row])
        at = VALID if at == _NONE else at
        if at not in counts:
            examples[at] = {p: int(c[row]) for p, c in table.examples.items()}
        counts[at] = counts.get(at, 0) + int(table.weights[row])
    return Counted(counts, examples)


def valid_values(parameters: Sequence[Parameter], checks: Sequence[Check], one: Parameter, chosen: Mapping[str, int] = NONE_CHOSEN) -> dict[int, int]:
    """How many valid vectors have each value of a parameter, by its position, with others at chosen positions. Raises `TooLarge` where that takes much
    longer than to count them all."""
    table = Counting(parameters, checks, [one], MOST_ROWS_KEPT, chosen).run()
    column = table.columns[one.atom]
    counts = dict.fromkeys(range(len(one.values)), 0)
    position = {number: at for at, number in enumerate(one.numbers)}
    for row in range(table.rows):
        if table.broken[row] == _NONE:
            counts[position[int(column[row])]] += int(table.weights[row])
    return counts


def pairs(scenarios: Sequence[Scenario], first: Parameter, second: Parameter) -> tuple[Array, Array]:
    """For each value of the second parameter (rows) and of the first (columns), how many vectors are valid, and how many there are."""
    valid: Array = np.zeros((len(second.values), len(first.values)))
    total: Array = np.zeros_like(valid)
    for scenario in scenarios:
        order = scenario.checks.order
        open_ = [p for p in (first, second) if p.name not in scenario.fixed]
        table = Counting(scenario.parameters, order, open_).run()
        columns = [_places(p, table, scenario.fixed) for p in (first, second)]
        absent = np.isin(table.broken, [at for at, check in enumerate(order) if check.cause.absent])
        weights = table.weights.astype(float)
        np.add.at(total, (columns[1], columns[0]), np.where(absent, 0, weights))
        np.add.at(valid, (columns[1], columns[0]), np.where(table.broken == _NONE, weights, 0))
    return valid, total


def _places(p: Parameter, table: Table, fixed: Mapping[str, Value]) -> Array:
    """The position of a parameter's value in each row."""
    if p.name in fixed:
        return np.full(table.rows, p.values.index(fixed[p.name]))
    place = {number: at for at, number in enumerate(p.numbers)}
    return np.array([place[int(number)] for number in table.columns[p.atom]], int)


def _bases(truth: Truth, bases: set[Atom], made: dict[Atom, None]) -> frozenset[Atom]:
    """The atoms whose values decide a predicate: parameters, and intermediate sizes that stand on several of them."""
    found: set[Atom] = set()
    pending: list[Any] = [truth]
    while pending:
        item = pending.pop()
        if isinstance(item, Predicate):
            pending += item.terms()
        elif isinstance(item, Atom):
            if item in bases:
                found.add(item)
            elif len(symbols(of_atom(item))) > 1:
                if item not in made:
                    made[item] = None
                    _bases_of_atom(item, bases, made)
                found.add(item)
            else:
                pending += item.args
        elif hasattr(item, "parts"):
            pending += [atom for monomial, _ in item.parts for atom, _ in monomial]
    return frozenset(found)


def _bases_of_atom(atom: Atom, bases: set[Atom], made: dict[Atom, None]) -> frozenset[Atom]:
    return frozenset[Atom]().union(*(_bases(arg, bases, made) for arg in atom.args))
