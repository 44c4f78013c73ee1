"""Python's comparisons: order, equality, identity and membership."""

from __future__ import annotations

import ast
import math
import operator
from typing import TYPE_CHECKING, Any

from tensorproof.frontends.python import equality, questions
from tensorproof.frontends.python.operations import SWAPPED, dunder, is_opaque, not_modelled, number_kind, on_tensors, plain
from tensorproof.libraries import library_objects, registry
from tensorproof.ops.inputs import is_number
from tensorproof.terms import predicates
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate, conj, disj, negate
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Choice, Dict, Instance, List, Model, Set
from tensorproof.values.python_values import AFTER_ERROR, Named, Unknown
from tensorproof.values.tensor_shape import TensorShape

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter

COMPARE: dict[type[ast.cmpop], tuple[str, Any]] = {
    ast.Eq: ("eq", operator.eq), ast.NotEq: ("ne", operator.ne), ast.Lt: ("lt", operator.lt), ast.LtE: ("le", operator.le),
    ast.Gt: ("gt", operator.gt), ast.GtE: ("ge", operator.ge),
}  # fmt: skip


def compare(m: Interpreter, op: type[ast.cmpop], a: Any, b: Any, node: ast.AST) -> Any:
    if op in (ast.Is, ast.IsNot):
        return _identity(m, a, b, op is ast.Is)
    if op in (ast.In, ast.NotIn):
        found = equality.contains(m, b, a, node)
        if isinstance(found, Unknown):
            found = replace(found, key=questions.asked(m, "in", a, b).key)
            return found if op is ast.In else questions.negated(found)
        return found if op is ast.In else negate(found)
    word, native = COMPARE[op]
    kind_a, kind_b = type(a), type(b)
    if kind_a is Choice:
        return m.branching.choose(a.condition, lambda: compare(m, op, a.then, b, node), lambda: compare(m, op, a.other, b, node))
    if kind_b is Choice:
        return m.branching.choose(b.condition, lambda: compare(m, op, a, b.then, node), lambda: compare(m, op, a, b.other, node))
    if kind_a is Instance or kind_b is Instance:
        return dunder(m, word, a, b, node)
    if kind_a is Unknown or kind_b is Unknown:
        if kind_a is TensorType and number_kind(b):
            return on_tensors(m, word, a, b, node)
        if kind_b is TensorType and number_kind(a):
            return on_tensors(m, SWAPPED[word], b, a, node)
        if a is AFTER_ERROR or b is AFTER_ERROR:
            m.path.lost = True
            return AFTER_ERROR
        if _beyond(word, a, b) or _beyond(SWAPPED[word], b, a):
            return False
        return questions.asked(m, word, a, b, "bool" if number_kind(a) and number_kind(b) else "")
    if kind_a is Model or kind_b is Model:
        found = library_objects.model_binary(m, word, a, b, node)
        if found is not MISSING:
            return found
        if word in ("eq", "ne") and (a is b or type(a) is not type(b)):
            return (a is b) is (word == "eq")
    for side in (a, b):
        if is_opaque(side):
            return not_modelled(m, side, node)
    if kind_a is TensorType or kind_b is TensorType:
        texts = _texts_compared(m, word, a, b, node)
        if texts is not None:
            return texts
        if kind_a is not TensorType and not is_number(a):
            return word == "ne" if word in ("eq", "ne") else Unknown(word)
        if kind_b is not TensorType and not is_number(b) and word in ("eq", "ne") and not isinstance(b, (List, tuple)):
            return word == "ne"
        return on_tensors(m, word, a, b, node) if kind_a is TensorType else on_tensors(m, SWAPPED[word], b, a, node)
    if kind_a is TensorShape or kind_b is TensorShape:
        from tensorproof.libraries import tf_shapes

        return tf_shapes.compare(m, word, a, b, node)
    if kind_a is Term or kind_b is Term or isinstance(a, Predicate) or isinstance(b, Predicate):
        return _symbolic(m, word, a, b)
    if kind_a in (List, Dict, Set) or kind_b in (List, Dict, Set) or isinstance(a, tuple) or isinstance(b, tuple):
        return equality.compare(m, word, a, b, node)
    if kind_a is not kind_b and word in ("eq", "ne") and (kind_a is DType or kind_b is DType):
        same = equality.element_types(m, a, b)
        return Unknown(word) if same is None else same if word == "eq" else negate(same)
    return plain(m, native, (a, b), node)


def _beyond(word: str, a: Any, b: Any) -> bool:
    """Whether a number that is not known is compared with what no number passes: `x > inf`, `x < -inf`."""
    return type(b) is float and math.isinf(b) and word == ("gt" if b > 0 else "lt") and bool(number_kind(a))


def _texts_compared(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST) -> Any:
    """A tensor of texts compared with texts that the program wrote; None for anything else."""
    one, other = (a, b) if isinstance(a, TensorType) else (b, a)
    if isinstance(other, TensorType) or one.framework != "tf" or word not in ("eq", "ne"):
        return None
    from tensorproof.libraries import tf_tensors

    texts = tf_tensors.text_tensor(m, other, node)
    return None if texts is None else on_tensors(m, word, one, texts, node)


def _symbolic(m: Interpreter, word: str, a: Any, b: Any) -> Any:
    from tensorproof.terms.ints import ite

    def number(x: Any) -> Any:
        return ite(x, 1, 0) if isinstance(x, Predicate) else int(x) if isinstance(x, bool) else x

    a, b = number(a), number(b)
    if isinstance(a, float) and a.is_integer():
        a = int(a)
    if isinstance(b, float) and b.is_integer():
        b = int(b)
    if type(a) not in (int, Term) or type(b) not in (int, Term):
        return word == "ne" if word in ("eq", "ne") and not (is_number(a) and is_number(b)) else Unknown(word)
    return getattr(predicates, word)(a, b)


def _identity(m: Interpreter, a: Any, b: Any, wanted: bool) -> Any:
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Choice):
            return m.branching.choose(x.condition, lambda x=x, y=y: _identity(m, x.then, y, wanted), lambda x=x, y=y: _identity(m, x.other, y, wanted))  # type: ignore[misc]
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        if (a is None and b.number) or (b is None and a.number):
            return not wanted
        found = questions.asked(m, "is", a, b)
        return found if wanted else questions.negated(found)
    if is_opaque(a) or is_opaque(b):
        return Unknown("is")
    if (a is None or b is None) and isinstance(registry.truth(m, a if b is None else b), Unknown):  # a match that may be none
        return Unknown("is")
    if isinstance(a, Predicate) or isinstance(b, Predicate):
        if isinstance(a, (bool, Predicate)) and isinstance(b, (bool, Predicate)):
            same = disj(conj(a, b), conj(negate(a), negate(b)))
            return same if wanted else negate(same)
        return not wanted
    if Term in (type(a), type(b)):
        if type(a) in (int, Term) and type(b) in (int, Term):
            equal = predicates.eq(a, b)
            return equal if wanted else negate(equal)
        return not wanted
    same_object = a is b or (type(a) is type(b) and isinstance(a, (int, str, bool)) and a == b)
    if isinstance(a, Bound) and isinstance(b, Bound):
        same_object = a.function is b.function and a.self is b.self
    if isinstance(a, Named) and isinstance(b, Named):
        same_object = a.name == b.name
    return same_object is wanted
