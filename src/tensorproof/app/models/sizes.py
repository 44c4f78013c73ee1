"""Numbers for the sizes that a saved graph leaves open, with which all that its nodes require holds."""

from __future__ import annotations

from tensorproof.app.models.check import stated
from tensorproof.app.program import Options
from tensorproof.engines.numerics.records import SIZE
from tensorproof.graph import Graph
from tensorproof.solve.layered import LayeredSolver
from tensorproof.solve.port import Answer
from tensorproof.terms.budgets import BUDGETS
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate, eq

MOST_SIZES = BUDGETS.saved_models.input_sizes


def fitting_sizes(path: str, graph: Graph, options: Options) -> dict[str, int]:
    """Sizes by the names of their symbols, `SIZE` where that may be; none where there are none that fit, or where that is unknown."""
    made, found = stated(path, graph, options)
    required = [(str(i), one.requirement.predicate) for i, one in enumerate(made.stated) if isinstance(one.requirement.predicate, Predicate)]
    solver = LayeredSolver()
    for fact in made.facts:
        solver.assume(fact)
    solution = solver.check(required)
    if solution.answer is not Answer.SAT:
        return {}
    axes = [axis for name in graph.inputs for tensor in found.outputs.get(name, ()) if tensor.shape.known for axis in tensor.shape if isinstance(axis, Term)]
    for axis in dict.fromkeys(axes[:MOST_SIZES]):
        wanted = eq(axis, SIZE)
        if not isinstance(wanted, Predicate):
            continue
        now = solver.check([*required, (f"size {axis!r}", wanted)])
        if now.answer is Answer.SAT:
            required.append((f"size {axis!r}", wanted))
            solution = now
    return {name: size for name, size in solution.witness.items() if size >= 1}
