"""What an unmodelled call gives that received one of the user's numbers: a reshape that fixes its size is worth a warning."""

from __future__ import annotations

import ast

from tensorproof.diagnostics.diagnostic import Diagnostic, Severity, Step
from tensorproof.terms import FLOAT32, Origin, Shape, TensorType, Term, symbols
from tensorproof.values import Args, Kwargs, List, Machine, Unknown, Value

GIVEN = "outside results"


def given(m: Machine, result: Unknown, callee: str, values: Args, node: ast.AST) -> Unknown:
    """Note what an unmodelled call gave, where it received a number of the user's choice."""
    names = [s.args[0] for v in values if isinstance(v, Term) for s in sorted(symbols(v), key=lambda s: s.order) if s.origin is Origin.USER]
    if names:
        m.model_state.setdefault(GIVEN, {})[id(result)] = (result, callee, names[0], m.user_span(node))
    return result


def passed_on(m: Machine, value: Unknown, renamed: Unknown) -> None:
    """The same result under another identity."""
    known = m.model_state.get(GIVEN, {}).get(id(value)) if GIVEN in m.model_state else None
    if known is not None and known[0] is value:
        m.model_state[GIVEN][id(renamed)] = (renamed, *known[1:])


def reshape(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """tf.reshape, which warns when it fixes the size of such a result."""
    value = args[0] if args else kwargs.get("tensor")
    known = m.model_state.get(GIVEN, {}).get(id(value)) if isinstance(value, Unknown) else None
    if known is None or known[0] is not value:
        return m.spelling("tf.reshape", args, kwargs, node)
    shape = args[1] if len(args) > 1 else kwargs.get("shape")
    sizes = tuple(shape.items) if isinstance(shape, List) else shape
    if not isinstance(sizes, tuple) or not all(isinstance(s, (int, Term)) for s in sizes) or -1 in [s for s in sizes if isinstance(s, int)]:
        return m.spelling("tf.reshape", args, kwargs, node)
    message = f"what {known[1]} gives depends on {known[2]}, and this reshape to {sizes!r} fits one number of elements only"
    found = Diagnostic("reshape/outside", Severity.WARNING, message, m.user_span(node), trail=(Step(known[3], f"{known[1]} receives {known[2]} here"),))
    if found not in m.path.findings:
        m.path.findings.append(found)
    return TensorType(Shape(sizes), FLOAT32, framework="tf")


FUNCTIONS: dict[str, object] = {"tf.reshape": reshape}
