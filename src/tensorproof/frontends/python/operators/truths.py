"""The truth of values."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorproof.frontends.python.attributes.lookup import in_class
from tensorproof.frontends.python.branching import questions
from tensorproof.frontends.python.operators.host_calls import is_opaque
from tensorproof.libraries import registry
from tensorproof.libraries.domains import devices
from tensorproof.libraries.tensorflow import traced
from tensorproof.program.form import Asked
from tensorproof.terms.dtypes import BOOL
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, gt, ne, negate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Choice, Class, Dict, Function, Instance, List, Set
from tensorproof.values.python_values import Named, Unknown
from tensorproof.values.summaries import is_summarised, length

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value


def _of_tensor(m: Interpreter, value: TensorType, node: ast.AST) -> Truth:
    """The truth of one element; of more it is an error. One tensor that is asked twice has one truth."""
    if value.framework == "keras":
        raise m.raised("TypeError", "a symbolic KerasTensor has no truth value: its contents are not known while a model is made", node)
    if value.graph is not None and not traced.converts(m, value):
        traced.refuse(m, "the truth of a tensor", value, node)
    if value.taped and m.model_state.get("tf1"):
        raise m.raised("TypeError", "a tensor of a graph has no truth value while the graph is built: use tf.cond, or fetch it", node, "graph/python")
    if "vmap" in m.model_state:
        from tensorproof.libraries.torch import transforms_of_functions

        transforms_of_functions.refuse_number(m, value, node)
    value = m.memory.current(value)
    if value.device is not None:
        devices.refuse_values(m, value, "the truth of a tensor", node)
    if value.contents is not None and len(value.contents) == 1 and not isinstance(value.contents[0], Term):
        return bool(value.contents[0])
    if value.shape.concrete and value.shape.numel != 1:
        raise m.raised("RuntimeError", f"a tensor of shape {value.shape!r} has no single truth value: use any() or all()", node, "python/truth")
    kept = m.memory.asked.get(id(value))
    if kept is not None:
        return kept[1]
    asked = m.open_truth("tensor", node)
    if value.dtype is BOOL and m.memory.is_own(value):
        m.memory.asked[id(value)] = value, asked
    if m.path.program is not None:
        m.path.program.add(Asked(value, asked))
    return asked


def truth(m: Interpreter, value: Value, node: ast.AST) -> Truth:
    """The truth of a value: known, a predicate, or an open question that gets a name."""
    match value:
        case bool() | Predicate():
            return value
        case Unknown():
            return questions.truth(m, value, node)
        case Term():
            return ne(value, 0)
        case TensorType():
            return _of_tensor(m, value, node)
        case List() | Set() | Dict():
            held = value.items.values() if isinstance(value, Dict) else value.items
            if not is_summarised(held):
                return bool(value.items)
            count = length(held)
            return m.open_truth("items", node) if isinstance(count, Unknown) else gt(count, 0)
        case tuple() if is_summarised(value):
            count = length(value)
            return m.open_truth("items", node) if isinstance(count, Unknown) else gt(count, 0)
        case Choice():
            a, b = truth(m, value.then, node), truth(m, value.other, node)
            return disj(conj(value.condition, a), conj(negate(value.condition), b))
        case Instance():
            for name in ("__bool__", "__len__"):
                found, _ = in_class(m, value.cls, name)
                if found is not MISSING:
                    return truth(m, m.call(Bound(found, value), (), {}, node), node)
            return True
        case Class() | Function():
            return True
        case Named() if is_opaque(value):
            return m.open_truth(value.name, node)
        case _:
            known = registry.truth(m, value)
            return bool(value) if known is MISSING else m.open_truth(known.reason, node) if isinstance(known, Unknown) else known
