"""Facts about the solver port: three answers, witnesses, cores, scopes, and the division traps."""

from __future__ import annotations

import subprocess
import sys

from tensorproof.solve.layered import LayeredSolver
from tensorproof.solve.port import Answer
from tensorproof.terms.ints import symbol
from tensorproof.terms.polynomials import begin_file
from tensorproof.terms.predicates import conj, eq, ge, implies, le, lt, ne

n = symbol("n", 1)
m = symbol("m", 1)


def test_a_witness_satisfies_what_was_asked() -> None:
    solver = LayeredSolver()
    solver.assume(eq(n % 4, 0))
    found = solver.check([("large", ge(n, 10))])
    assert found.answer is Answer.SAT
    assert found.witness["n"] % 4 == 0 and found.witness["n"] >= 10


def test_a_core_names_the_guilty_requirements() -> None:
    solver = LayeredSolver()
    found = solver.check([("first", eq(n, 2 * m)), ("other", ge(m, 1)), ("second", eq(n % 2, 1))])
    assert found.answer is Answer.UNSAT
    assert set(found.core) == {"first", "second"}


def test_facts_of_a_scope_are_forgotten() -> None:
    solver = LayeredSolver()
    with solver.scope():
        solver.assume(eq(n, 3))
        assert solver.proves(eq(n * m, 3 * m)) is True
    assert solver.proves(eq(n * m, 3 * m)) is False


def test_giving_up_is_an_answer() -> None:
    solver = LayeredSolver(budget=1)
    x, y, z = (symbol(s, 3) for s in "xyz")
    assert solver.check([("fermat", eq(x * x * x + y * y * y, z * z * z))]).answer is Answer.UNKNOWN


def test_negative_divisors_round_down_in_the_solver_too() -> None:
    d = symbol("d", -5, -1)
    x = symbol("x", -50, 50)
    solver = LayeredSolver()
    assert solver.proves(conj(le(x % d, 0), lt(d, x % d))) is True
    solver.assume(eq(x, 7))
    solver.assume(eq(d, -2))
    assert solver.proves(eq(x // d, -4)) is True


def test_what_bounds_decide_loads_no_solver() -> None:
    code = (
        "import sys\n"
        "from tensorproof.solve.layered import LayeredSolver\n"
        "from tensorproof.terms.ints import symbol\n"
        "from tensorproof.terms.predicates import eq, ge\n"
        "n = symbol('n', 1)\n"
        "s = LayeredSolver()\n"
        "assert s.proves(ge(n, 1)) is True\n"
        "assert s.check([('r', eq(n, 5))]).witness == {'n': 5}\n"
        "assert s.proves(eq(n, 5)) is False\n"
        "print('z3' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


def test_load_never_changes_an_answer() -> None:
    answers = {LayeredSolver().check([("a", eq(n * m, 391)), ("b", ne(n, 1)), ("c", ne(m, 1))]).answer for _ in range(3)}
    assert answers == {Answer.SAT}


def test_an_interrupt_does_not_outlive_the_question_that_it_ends() -> None:
    """Z3 keeps a cancellation in its context: the files after one that ran out of time were answered by nothing."""
    from tensorproof.solve import z3_solver
    from tensorproof.solve.port import Answer
    from tensorproof.terms.ints import symbol
    from tensorproof.terms.predicates import eq

    z3_solver.cancel()
    x = symbol("x", 2, 10)
    solver = z3_solver.Z3Solver(200_000)
    solver.assume(eq(x * x, 9))
    assert solver.check().answer is Answer.SAT


def _about_draws(count: int) -> LayeredSolver:
    solver = LayeredSolver()
    for k in range(count):
        solver.assume(le(symbol(f"draw{k}", 0) + 257, n))
    return solver


def test_facts_about_draws_of_their_own_are_one_fact() -> None:
    solver = _about_draws(200)
    with_goal = [("goal", lt(n * m, 257 * m))]
    assert solver.check(with_goal).answer is Answer.UNSAT
    assert len(solver._distinct(solver._relevant(with_goal), with_goal)) == 1  # type: ignore[arg-type]
    assert solver.proves(ge(n, 258)) is False
    solver.assume(ge(symbol("draw7", 0), 5))
    assert solver.proves(ge(n, 262)) is True


def test_draws_with_other_bounds_are_other_facts() -> None:
    solver = _about_draws(40)
    solver.assume(le(symbol("late", 9) + 257, n))
    assert solver.proves(ge(n, 266)) is True
    assert solver.proves(ge(n, 267)) is False


def test_what_was_required_under_conditions_that_hold_is_used() -> None:
    solver = _about_draws(40)
    draws = [le(symbol(f"draw{k}", 0) + 257, n) for k in range(40)]
    solver.assume(implies(conj(*draws), ge(m, n)))
    assert solver.proves(ge(m, 257)) is True
    other = LayeredSolver()
    for fact in draws[1:]:
        other.assume(fact)
    other.assume(implies(conj(*draws), ge(m, n)))
    assert other.proves(ge(m, 257)) is False


def test_a_solver_is_asked_again_after_another_one_began_a_file() -> None:
    from tensorproof.solve.z3_solver import Z3Solver

    before = Z3Solver(1_000_000)
    before.assume(eq(n % 4, 0))
    begin_file()
    other = symbol("other", 1)
    after = Z3Solver(1_000_000)
    after.assume(eq(other, 3))
    with before.scope():
        before.assume(conj(ge(n, 10), ne(n * m, 12)))
        assert before.check([("large", le(n, 12))]).answer is Answer.SAT
    assert after.check([("small", lt(other, 3))]).answer is Answer.UNSAT
