"""The tape: steps are recorded and run again with other inputs."""

from __future__ import annotations

import ast

import pytest

from tensorproof.frontends.python.errors import Raised
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.frontends.python.modules.modules import Modules
from tensorproof.frontends.python.modules.source import parse
from tensorproof.libraries.tensorflow import tape
from tensorproof.libraries.tensorflow.traced import tracing
from tensorproof.terms.shapes import Shape
from tensorproof.terms.tensor import TensorType


def machine() -> Interpreter:
    return Interpreter(Modules(parse("p.py", "")))


def at(line: int) -> ast.AST:
    return ast.Pass(lineno=line, col_offset=0, end_lineno=line, end_col_offset=1)


def tensor(*shape: object) -> TensorType:
    return TensorType(Shape(shape), framework="tf")


def test_a_replay_runs_what_the_output_needs_with_the_new_leaf() -> None:
    m = machine()
    x = tape.leaf(m, tensor(tape.open_axis(m, "batch"), 4))
    y = m.spelling("tf.matmul", (x, tensor(4, 3)), {}, at(1))
    m.spelling("tf.reshape", (x, [-1]), {}, at(2))
    assert [n.name for n in tape.steps_of(m, y)[0]] == ["tf.matmul"]
    assert tape.replay(m, y, {id(x): tensor(5, 4)}, at(3), "run here").shape == (5, 3)
    assert tape.shown(m, y.shape[0]) is None and tape.shown(m, y.shape[1]) == 3


def test_a_refusal_stands_where_the_step_was_built_and_its_trail_leads_to_the_replay() -> None:
    m = machine()
    x = tape.leaf(m, tensor(tape.open_axis(m, "batch"), 4))
    y = m.spelling("tf.add", (x, tensor(3, 4)), {}, at(1))
    assert [s.requirement.predicate is not True for s in m.path.stated] == [True]
    with pytest.raises(Raised) as caught:
        tape.replay(m, y, {id(x): tensor(5, 4)}, at(9), "run here")
    assert caught.value.span.line == 1 and caught.value.trail[-1].span.line == 9
    assert [s.requirement.predicate for s in m.path.stated] == [True]


def test_a_result_that_is_an_argument_gets_an_identity_of_its_own() -> None:
    m = machine()
    x = tape.leaf(m, tensor(2, 4))
    y = m.spelling("tf.identity", (x,), {}, at(1))
    assert y is not x and tape.is_leaf(m, x) and not tape.is_leaf(m, y) and tape.needed(m, y) == [x]


def test_a_recorded_replay_is_taped_again() -> None:
    m = machine()
    x, z = tape.leaf(m, tensor(2, 4)), tape.leaf(m, tensor(8, 4))
    y = m.spelling("tf.concat", ([x, x], 0), {}, at(1))
    again = tape.replay(m, y, {id(x): z}, at(2), "called here", record=True)
    assert again.shape == (16, 4) and tape.needed(m, again) == [z]


def _counted(calls: list[bool], m: Interpreter, functions: int) -> TensorType:
    """A tensor of one step, which calls so many functions of the program, and the leaf it is computed from."""

    def run(m: Interpreter, args: tuple[TensorType, ...], kwargs: dict[str, object], node: ast.AST) -> TensorType:
        calls.append(True)
        m.entered += functions
        return tensor(*args[0].shape)

    return tape.step(m, "step", run, (tape.leaf(m, tensor(2)),), {}, at(1))


@pytest.mark.parametrize("functions, times", [(0, 1), (1, 2)])
def test_steps_ran_while_traced_stand_for_eager_ones_unless_they_call_functions_of_the_program(functions: int, times: int) -> None:
    m, calls = machine(), list[bool]()
    made = _counted(calls, m, functions)
    (leaf,) = tape.needed(m, made)
    calls.clear()
    with tracing(m, "Model.fit", False):
        first = tape.replay(m, made, {id(leaf): tensor(5)}, at(2), "")
    for _ in range(2):
        again = tape.replay(m, made, {id(leaf): tensor(5)}, at(3), "")
    assert len(calls) == times and first.shape == again.shape == (5,) and again.graph is None


def test_what_ran_before_counts_as_calls_of_the_program() -> None:
    m, calls = machine(), list[bool]()
    made = _counted(calls, m, 3)
    (leaf,) = tape.needed(m, made)
    tape.replay(m, made, {id(leaf): tensor(5)}, at(2), "")
    before = m.entered
    tape.replay(m, made, {id(leaf): tensor(5)}, at(3), "")
    assert m.entered == before + 3
