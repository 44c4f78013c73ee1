"""Python's comparisons: order, equality, identity and membership."""

from __future__ import annotations

import ast
import math
import operator
from typing import TYPE_CHECKING, Any

from tensorproof.bindings.names import versions
from tensorproof.frontends.python.branching import questions
from tensorproof.frontends.python.containers import equality
from tensorproof.frontends.python.operators import container_comparisons, type_rules
from tensorproof.frontends.python.operators.host_calls import is_opaque, not_modelled, plain
from tensorproof.frontends.python.operators.operations import SWAPPED, dunder, on_tensors
from tensorproof.frontends.python.tensors.number_kinds import number_kind
from tensorproof.libraries import library_objects, registry
from tensorproof.ops.inputs import is_number
from tensorproof.terms import predicates
from tensorproof.terms.dtypes import DType
from tensorproof.terms.ints import Term
from tensorproof.terms.predicates import Predicate, Truth, conj, disj, negate
from tensorproof.terms.records import replace
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING
from tensorproof.values.objects import Bound, Choice, Dict, Instance, List, Model, Set
from tensorproof.values.python_values import AFTER_ERROR, Named, Unknown
from tensorproof.values.tensor_shape import TensorShape

if TYPE_CHECKING:
    from tensorproof.frontends.python.machine import Interpreter
    from tensorproof.values.machine import Value

COMPARE: dict[type[ast.cmpop], tuple[str, Value]] = {
    ast.Eq: ("eq", operator.eq), ast.NotEq: ("ne", operator.ne), ast.Lt: ("lt", operator.lt), ast.LtE: ("le", operator.le),
    ast.Gt: ("gt", operator.gt), ast.GtE: ("ge", operator.ge),
}  # fmt: skip


def compare(m: Interpreter, op: type[ast.cmpop], a: Value, b: Value, node: ast.AST) -> Value:
    if op in (ast.Is, ast.IsNot):
        return _identity(m, a, b, op is ast.Is)
    if op in (ast.In, ast.NotIn):
        return _membership(m, a, b, node, op is ast.In)
    word, native = COMPARE[op]
    kinds = type(a), type(b)
    if Choice in kinds:
        return _of_choice(m, op, a, b, node)
    if Instance in kinds:
        return dunder(m, word, a, b, node)
    if Unknown in kinds:
        return _of_unknown(m, word, a, b, node)
    found = _of_library(m, word, a, b, node)
    if found is not MISSING:
        return found
    if TensorType in kinds:
        return _of_tensors(m, word, a, b, node)
    if TensorShape in kinds:
        from tensorproof.libraries.tensorflow import shapes as tf_shapes

        return tf_shapes.compare(m, word, a, b, node)
    if isinstance(a, _SYMBOLS) or isinstance(b, _SYMBOLS):
        return _symbolic(m, word, a, b, node)
    if type(a) is str and type(b) is tuple and a == versions.text("torch") and all(type(part) is int for part in b):  # which is no plain text
        return library_objects.model_binary(m, word, Model("version", m.heap.space({"text": a})), ".".join(map(str, b)), node)
    if isinstance(a, _CONTAINERS) or isinstance(b, _CONTAINERS):
        return container_comparisons.compare(m, word, a, b, node)
    if DType in kinds and kinds[0] is not kinds[1] and word in ("eq", "ne"):
        same = equality.element_types(m, a, b)
        return Unknown(word) if same is None else same if word == "eq" else negate(same)
    return plain(m, native, (a, b), node)


_SYMBOLS = (Term, Predicate)
_CONTAINERS = (List, Dict, Set, tuple)


def _membership(m: Interpreter, item: Value, container: Value, node: ast.AST, wanted: bool) -> Value:
    found = container_comparisons.contains(m, container, item, node)
    if isinstance(found, Unknown):
        found = replace(found, key=questions.asked(m, "in", item, container).key)
        return found if wanted else questions.negated(found)
    return found if wanted else negate(found)


def _of_choice(m: Interpreter, op: type[ast.cmpop], a: Value, b: Any, node: ast.AST) -> Value:
    if type(a) is Choice:
        return m.branching.choose(a.condition, lambda: compare(m, op, a.then, b, node), lambda: compare(m, op, a.other, b, node))
    return m.branching.choose(b.condition, lambda: compare(m, op, a, b.then, node), lambda: compare(m, op, a, b.other, node))


def _of_unknown(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    if type(a) is TensorType and number_kind(b):
        return on_tensors(m, word, a, b, node)
    if type(b) is TensorType and number_kind(a):
        return on_tensors(m, SWAPPED[word], b, a, node)
    if a is AFTER_ERROR or b is AFTER_ERROR:
        m.path.lost = True
        return AFTER_ERROR
    type_rules.refuse_operator(m, word, a, b, node)
    found = _by_ends(word, a, b)
    if found is None:
        found = _by_ends(SWAPPED[word], b, a)
    if found is not None:
        return found
    return questions.asked(m, word, a, b, "bool" if number_kind(a) and number_kind(b) else "")


def _of_library(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST) -> Value:
    """Comparisons of a library's objects and names; MISSING where no model says."""
    if Model in (type(a), type(b)):
        found = library_objects.model_binary(m, word, a, b, node)
        if found is not MISSING:
            return found
        if word in ("eq", "ne") and (a is b or type(a) is not type(b)):
            return (a is b) is (word == "eq")
    opaque = next((side for side in (a, b) if is_opaque(side)), None)
    return MISSING if opaque is None else not_modelled(m, opaque, node)


def _of_tensors(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    texts = _texts_compared(m, word, a, b, node)
    if texts is not None:
        return texts
    if type(a) is not TensorType and not is_number(a):
        return word == "ne" if word in ("eq", "ne") else Unknown(word)
    if type(b) is not TensorType and not is_number(b) and word in ("eq", "ne") and not isinstance(b, (List, tuple)):
        return word == "ne"
    return on_tensors(m, word, a, b, node) if type(a) is TensorType else on_tensors(m, SWAPPED[word], b, a, node)


def _by_ends(word: str, a: Any, b: Any) -> bool | None:
    """A number that is not known compared with one that it never passes: `x > inf`, `x < -inf`, a time and what is less than 0. It is taken to be finite:
    the first loss is less than `best = float("inf")`."""
    if type(b) is float and math.isinf(b) and word.endswith("t") and number_kind(a):  # lt, gt
        return (word == "lt") is (b > 0)
    least = a.least if type(a) is Unknown else None
    if least is None or type(b) not in (int, float) or math.isnan(b):
        return None
    match word:
        case "lt" | "le" | "ne" if a.below is not None and b >= a.below:
            return True
        case "gt" | "ge" | "eq" if a.below is not None and b >= a.below:
            return False
        case "lt" | "ge" if b <= least:
            return word == "ge"
        case "le" | "eq" if b < least:
            return False
        case "gt" | "ne" if b < least:
            return True
    return None


def _texts_compared(m: Interpreter, word: str, a: Any, b: Any, node: ast.AST) -> Value:
    """A tensor of texts compared with texts that the program wrote; None for anything else."""
    one, other = (a, b) if isinstance(a, TensorType) else (b, a)
    if isinstance(other, TensorType) or one.framework != "tf" or word not in ("eq", "ne"):
        return None
    from tensorproof.libraries.tensorflow import tensors as tf_tensors

    texts = tf_tensors.text_tensor(m, other, node)
    return None if texts is None else on_tensors(m, word, one, texts, node)


def _symbolic(m: Interpreter, word: str, a: Value, b: Value, node: ast.AST) -> Value:
    from tensorproof.terms.ints import ite

    def number(x: Value) -> Value:
        return ite(x, 1, 0) if isinstance(x, Predicate) else int(x) if isinstance(x, bool) else x

    a, b = number(a), number(b)
    if isinstance(a, float) and a.is_integer():
        a = int(a)
    if isinstance(b, float) and b.is_integer():
        b = int(b)
    if type(a) not in (int, Term) or type(b) not in (int, Term):
        type_rules.refuse_operator(m, word, a, b, node)
        return word == "ne" if word in ("eq", "ne") and not (is_number(a) and is_number(b)) else Unknown(word)
    return getattr(predicates, word)(a, b)


def _identity(m: Interpreter, a: Any, b: Any, wanted: bool) -> Value:
    if isinstance(a, Choice):
        return m.branching.choose(a.condition, lambda: _identity(m, a.then, b, wanted), lambda: _identity(m, a.other, b, wanted))
    if isinstance(b, Choice):
        return m.branching.choose(b.condition, lambda: _identity(m, b.then, a, wanted), lambda: _identity(m, b.other, a, wanted))
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        if (a is None and b.number) or (b is None and a.number):
            return not wanted
        found = questions.asked(m, "is", a, b)
        return found if wanted else questions.negated(found)
    if is_opaque(a) or is_opaque(b):
        return Unknown("is")
    if (a is None or b is None) and isinstance(registry.truth(m, a if b is None else b), Unknown):  # a match that may be none
        return Unknown("is")
    same = _same_symbol(a, b) if isinstance(a, _SYMBOLS) or isinstance(b, _SYMBOLS) else _same_object(a, b)
    return same if wanted else negate(same)


def _same_symbol(a: Any, b: Any) -> Truth:
    """Whether two values, one of them symbolic at least, are one number or truth value."""
    if isinstance(a, Predicate) or isinstance(b, Predicate):
        both = isinstance(a, (bool, Predicate)) and isinstance(b, (bool, Predicate))
        return disj(conj(a, b), conj(negate(a), negate(b))) if both else False
    return predicates.eq(a, b) if type(a) in (int, Term) and type(b) in (int, Term) else False


def _same_object(a: Value, b: Value) -> bool:
    if isinstance(a, Bound) and isinstance(b, Bound):
        return a.function is b.function and a.self is b.self
    if isinstance(a, Named) and isinstance(b, Named):
        return bool(a.name == b.name)
    return a is b or (type(a) is type(b) and isinstance(a, (int, str, bool)) and a == b)
