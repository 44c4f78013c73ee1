"""unittest: `unittest.main()` runs the test methods of the test cases in the main file, each on a new object, with setUp and tearDown around it."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from tensorproof.libraries import ClassModel, KindModel, Run, argument, quiet
from tensorproof.terms.predicates import negate
from tensorproof.values import MISSING, Args, Class, Kwargs, Machine, Model, Named, Native, Unknown, Value

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


def _asserts(op: type[ast.cmpop], m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    holds = m.truth(m.compare(op, args[0], args[1], node), node)
    m.demand("AssertionError", holds, f"this assertion fails: {ast.unparse(node)[:100]}", node)


def _asserts_truth(wanted: bool, m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    holds = m.truth(argument(args, kwargs, 0, "expr"), node)
    m.demand("AssertionError", holds if wanted else negate(holds), f"this assertion fails: {ast.unparse(node)[:100]}", node)


def _asserts_none(op: type[ast.cmpop]) -> Run:
    return lambda m, me, args, kwargs, node: _asserts(op, m, me, (args[0], None), kwargs, node)


def _asserts_instance(wanted: bool, m: Machine, me: Value, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    _asserts_truth(wanted, m, me, (m.call(isinstance, args[:2], {}, node),), {}, node)


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


def _skipping_if(wanted: bool, m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    holds = m.truth(argument(args, kwargs, 0, "condition"), node)
    if holds is wanted:
        return _skipping(m, args, kwargs, node)
    return Native("skipIf", lambda machine, inner, named, at: inner[0])


_COMPARISONS: dict[str, type[ast.cmpop]] = {
    "assertEqual": ast.Eq, "assertEquals": ast.Eq, "assertNotEqual": ast.NotEq, "assertIs": ast.Is, "assertIsNot": ast.IsNot, "assertLess": ast.Lt,
    "assertLessEqual": ast.LtE, "assertGreater": ast.Gt, "assertGreaterEqual": ast.GtE, "assertIn": ast.In, "assertNotIn": ast.NotIn,
    "assertListEqual": ast.Eq, "assertTupleEqual": ast.Eq, "assertDictEqual": ast.Eq, "assertSetEqual": ast.Eq, "assertSequenceEqual": ast.Eq,
}  # fmt: skip
METHODS: dict[str, Any] = {
    **{name: partial(_asserts, op) for name, op in _COMPARISONS.items()}, "assertTrue": partial(_asserts_truth, True),
    "assertFalse": partial(_asserts_truth, False),
    "assertIsNone": _asserts_none(ast.Is), "assertIsNotNone": _asserts_none(ast.IsNot), "assertIsInstance": partial(_asserts_instance, True),
    "assertNotIsInstance": partial(_asserts_instance, False), "assertRaises": _assert_raises, "fail": _fail, "skipTest": _skip,
}  # fmt: skip
FUNCTIONS: dict[str, Run] = {
    "unittest.main": _main,
    "unittest.skip": _skipping,
    "unittest.skipIf": partial(_skipping_if, True),
    "unittest.skipUnless": partial(_skipping_if, False),
}
CLASSES = {CASE: ClassModel(CASE, methods=METHODS, init=lambda m, me, args, kwargs, node: None, closed=False)}
KINDS = {"unittest.raises": KindModel(enter=lambda m, me, node: me, leave=lambda m, me, raised, node: _expected(m, me.space["kinds"], raised, node), open=True)}


# --- unittest.mock: `patch` puts another value under a name for a while; a mock takes any call ---


def _patch(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`patch("torch.cat", f)`."""
    target = argument(args, kwargs, 0, "target")
    if not isinstance(target, str) or "." not in target:
        return m.gap("unittest.mock.patch", node, "the name is not known")
    owner, _, name = target.rpartition(".")
    return _patched(m, m.module(owner, node), name, args[1:], kwargs, node)


def _patch_object(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """`patch.object(torch, "cat", f)`."""
    name = argument(args, kwargs, 1, "attribute")
    if not isinstance(name, str):
        return m.gap("unittest.mock.patch.object", node, "the name is not known")
    return _patched(m, argument(args, kwargs, 0, "target"), name, args[2:], kwargs, node)


def _patched(m: Machine, owner: Value, name: str, more: Args, kwargs: Kwargs, node: ast.AST) -> Model:
    new = more[0] if more else kwargs.get("new", kwargs.get("return_value"))
    if not more and "new" not in kwargs:
        new = m.gap("unittest.mock.patch", node, "a mock is put in the place of a value")
    return Model("unittest.mock.patch", m.heap.space({"owner": owner, "name": name, "new": new}))


def _enter_patch(m: Machine, me: Model, node: ast.AST) -> Value:
    owner, name = me.space["owner"], str(me.space["name"])
    m.heap.set(me.space, "old", m.attribute(owner, name, node))
    m.set_attribute(owner, name, me.space["new"], node)
    return me.space["new"]


def _leave_patch(m: Machine, me: Model, raised: Any, node: ast.AST) -> bool:
    m.set_attribute(me.space["owner"], str(me.space["name"]), me.space["old"], node)
    return False


def _decorate_patch(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Native:
    def run(machine: Machine, given: Args, named: Kwargs, at: ast.AST) -> Value:
        _enter_patch(machine, me, at)
        result, raised = machine.attempt(args[0], given, named, at)
        _leave_patch(machine, me, raised, at)
        if raised is not None:
            raise raised
        return result

    return Native("unittest.mock.patch", run)


FUNCTIONS |= {
    "unittest.mock.patch": _patch, "unittest.mock.patch.object": _patch_object,
    **{f"unittest.mock.{name}": lambda m, a, k, n: m.gap("unittest.mock.Mock", n, "a mock takes any call") if not k else Unknown("a mock")
        for name in ("Mock", "MagicMock", "AsyncMock", "NonCallableMock", "PropertyMock")},
}  # fmt: skip
KINDS |= {"unittest.mock.patch": KindModel(
    methods={"start": lambda m, me, a, k, n: _enter_patch(m, me, n), "stop": lambda m, me, a, k, n: _leave_patch(m, me, None, n)},
    enter=_enter_patch, leave=_leave_patch, call=_decorate_patch,
)}  # fmt: skip
