"""unittest: `unittest.main()` runs the test methods of the test cases in the main file, each on a new object, with setUp and tearDown around it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorproof.libraries.model import ClassModel, KindModel, Run
from tensorproof.libraries.plain import argument, quiet
from tensorproof.terms.predicates import negate
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Class, Model, Native
from tensorproof.values.python_values import Named, Unknown

if TYPE_CHECKING:
    from tensorproof.values.machine import Args, Kwargs, Machine, Value

CASE = "unittest.TestCase"


def _is_case(value: Value) -> bool:
    return isinstance(value, Class) and any(isinstance(base, Named) and base.name == CASE for base in value.mro)


def _tests(cls: Class) -> list[str]:
    found = {name for one in cls.mro if isinstance(one, Class) for name in one.space if isinstance(name, str) and name.startswith("test")}
    return sorted(found)


def _run_case(m: Machine, cls: Class, node: ast.AST) -> None:
    """Run the tests of one class. A failure is reported at its place, and the next test is run."""
    if m.in_class(cls, "setUpClass") is not MISSING and not _passes(m, cls, "setUpClass", node):
        return
    for name in _tests(cls):
        if isinstance(m.in_class(cls, name), Model):  # skipped
            continue
        case = m.call(cls, (), {}, node)
        if _passes(m, case, "setUp", node):
            _passes(m, case, name, node)
            _passes(m, case, "tearDown", node)


def _passes(m: Machine, owner: Value, name: str, node: ast.AST) -> bool:
    run = Native("unittest", lambda machine, args, kwargs, at: machine.call(machine.attribute(owner, name, at), (), {}, at))
    _, raised = m.attempt(run, (), {}, node)
    if raised is None or raised.kind == "SkipTest":
        return True
    m.uncaught(raised)
    return False


def _main(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    cases = [v for v in list(m.main.space.values()) if isinstance(v, Class) and _is_case(v)]
    for cls in cases:
        _run_case(m, cls, node)
    if kwargs.get("exit") is False:
        return quiet(m, (), {}, node)
    ended = m.raised("SystemExit", "unittest.main ends the program", node)
    ended.quiet = True
    raise ended


# --- what a test case can say ---


def _nothing(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    return None


def _asserts(op: type[ast.cmpop]) -> Run:
    def run(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
        holds = m.truth(m.compare(op, args[0], args[1], node), node)
        m.demand("AssertionError", holds, f"this assertion fails: {ast.unparse(node)[:100]}", node)

    return run


def _asserts_truth(wanted: bool) -> Run:
    def run(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
        holds = m.truth(argument(args, kwargs, 0, "expr"), node)
        m.demand("AssertionError", holds if wanted else negate(holds), f"this assertion fails: {ast.unparse(node)[:100]}", node)

    return run


def _asserts_none(op: type[ast.cmpop]) -> Run:
    return lambda m, me, args, kwargs, node: _asserts(op)(m, me, (args[0], None), kwargs, node)


def _asserts_instance(wanted: bool) -> Run:
    def run(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
        _asserts_truth(wanted)(m, me, (m.call(isinstance, args[:2], {}, node),), {}, node)

    return run


def _assert_raises(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if len(args) < 2:
        return Model("unittest.raises", m.heap.space({"kinds": args[0], "exception": Unknown("an exception")}))
    _, raised = m.attempt(args[1], args[2:], kwargs, node)
    if not _expected(m, args[0], raised, node) and raised is not None:
        raise raised


def _expected(m: Machine, kinds: Value, raised: Any, node: ast.AST) -> bool:
    if raised is None:
        raise m.raised("AssertionError", "the exception that the test expects is not raised", node)
    if isinstance(kinds, Unknown):
        m.gap("assertRaises", node, "of a class that is not known")
        return True
    return bool(m.catches(raised, kinds, node))


def _fail(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    raise m.raised("AssertionError", "the test calls fail()", node)


def _skip(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    raise m.raised("SkipTest", "the test is skipped", node)


def _skipping(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`@unittest.skip(reason)`: what it decorates is not run."""
    return Native("skip", lambda machine, inner, named, at: Model("quiet", machine.heap.space()))


def _skipping_if(wanted: bool) -> Run:
    def run(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
        holds = m.truth(argument(args, kwargs, 0, "condition"), node)
        if holds is wanted:
            return _skipping(m, args, kwargs, node)
        return Native("skipIf", lambda machine, inner, named, at: inner[0])

    return run


def _subtest(m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    return Model("context", m.heap.space())


_COMPARISONS: dict[str, type[ast.cmpop]] = {
    "assertEqual": ast.Eq, "assertEquals": ast.Eq, "assertNotEqual": ast.NotEq, "assertIs": ast.Is, "assertIsNot": ast.IsNot, "assertLess": ast.Lt,
    "assertLessEqual": ast.LtE, "assertGreater": ast.Gt, "assertGreaterEqual": ast.GtE, "assertIn": ast.In, "assertNotIn": ast.NotIn,
    "assertListEqual": ast.Eq, "assertTupleEqual": ast.Eq, "assertDictEqual": ast.Eq, "assertSetEqual": ast.Eq, "assertSequenceEqual": ast.Eq,
}  # fmt: skip
METHODS: dict[str, Any] = {
    **{name: _asserts(op) for name, op in _COMPARISONS.items()}, "assertTrue": _asserts_truth(True), "assertFalse": _asserts_truth(False),
    "assertIsNone": _asserts_none(ast.Is), "assertIsNotNone": _asserts_none(ast.IsNot), "assertIsInstance": _asserts_instance(True),
    "assertNotIsInstance": _asserts_instance(False), "assertRaises": _assert_raises, "fail": _fail, "skipTest": _skip, "subTest": _subtest,
    **dict.fromkeys(("assertAlmostEqual", "assertNotAlmostEqual", "assertWarns", "assertLogs", "assertCountEqual"), _nothing),
    **dict.fromkeys(("setUp", "tearDown", "addCleanup", "id", "shortDescription"), _nothing),
}  # fmt: skip
FUNCTIONS: dict[str, Run] = {
    "unittest.main": _main, "unittest.skip": _skipping, "unittest.skipIf": _skipping_if(True), "unittest.skipUnless": _skipping_if(False),
    "unittest.expectedFailure": lambda m, a, k, n: quiet(m, (), {}, n),
}
CLASSES = {CASE: ClassModel(CASE, methods=METHODS, init=lambda m, me, args, kwargs, node: None, closed=False)}
KINDS = {"unittest.raises": KindModel(enter=lambda m, me, node: me, leave=lambda m, me, raised, node: _expected(m, me.space["kinds"], raised, node), open=True)}
