"""The spelling tables hold nothing but comments, sections, rows and what follows a row."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tensorproof.bindings import rows
from tensorproof.bindings.call import call, kinds
from tensorproof.bindings.kinds import application, kinds_in
from tensorproof.ops.inputs import REQUIRED, Anything, Choice, Ints, Tensor
from tensorproof.terms.dtypes import BOOL, FLOAT32, FLOATS, INT32, INT64, DType
from tensorproof.terms.shapes import Shape, unknown_shape
from tensorproof.terms.tensor import TensorType

LIBRARIES = sorted(set(rows.LIBRARIES.values()))


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_line_is_read(library: str) -> None:
    for table, text in rows._tables(library).items():
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith(("#", "[", "    ")):
                assert rows._NAME.match(line), f"{library}/{table}:{number} is not a row: {line}"


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_row_parses_and_names_its_place(library: str) -> None:
    for name in rows.names(library):
        for row in rows.rows(name):
            place, _, line = row.source.rpartition(":")
            text = rows._tables(library)[place.partition("/")[2]]
            assert name.removesuffix("_").rpartition(".")[2] in text.splitlines()[int(line) - 1]


def test_a_row_says_the_kinds_of_its_own_arguments() -> None:
    text = 'Tensor(x, "N M", FLOATS) Tensor(at, dtypes={int32+int64}) Choice(ord, (None, 1, inf), None) Anything(size, like=(Ints(size, least=1),))'
    assert kinds_in(text) == {
        "x": Tensor("x", "N M", FLOATS),
        "at": Tensor("at", dtypes=frozenset({INT32, INT64})),
        "ord": Choice("ord", (None, 1, float("inf")), None),
        "size": Anything("size", like=(Ints("size", least=1),)),
    }
    assert kinds_in("Tensor(y, optional=True, default=REQUIRED)")["y"] == Tensor("y", optional=True, default=REQUIRED)


def test_the_kinds_of_a_row_are_those_of_its_arguments() -> None:
    for library in LIBRARIES:
        for name in rows.names(library):
            for row in rows.rows(name):
                arguments = {a.ours for a in (*row.arguments, *(row.call_arguments or ()))}
                if row.takes:
                    assert kinds_in(row.takes).keys() & arguments, f"{row.source} says kinds of arguments that it does not have"
                    assert kinds(row)


class _Noted:
    """Says what would be applied."""

    def __call__(self, op: str, **arguments: object) -> object:
        return (op, arguments), "second"

    def typed(self, op: str, *dtypes: DType | None, **arguments: object) -> object:
        return op, dtypes, arguments

    def known(self, op: str, a: Mapping[str, object]) -> dict[str, object]:
        return {name: value for name, value in a.items() if name != "way"}


def test_a_row_spells_the_operators_that_it_applies() -> None:
    x = Tensor("x")
    assert application("mul(x=neg(x=y)[0], y=2)")({"y": x}, _Noted()) == (("mul", {"x": ("neg", {"x": x}), "y": 2}), "second")
    assert application("gelu(x=x, way='tanh' if flag else 'none')")({"x": x, "flag": False}, _Noted()) == (("gelu", {"x": x, "way": "none"}), "second")
    assert application("sub(1, mul(y, 2))")({"y": x}, _Noted()) == (("sub", {"x": 1, "y": (("mul", {"x": x, "y": 2}), "second")}), "second")
    vector = TensorType(Shape((3,)), FLOAT32)
    found = application("sub(x, gt(x, 2, typed=bool))", "x.dtype")({"x": vector}, _Noted())
    assert found == ("sub", (FLOAT32,), {"x": vector, "y": ("gt", (BOOL,), {"x": vector, "y": 2})})
    assert application("neg(flat(x))")({"x": vector}, _Noted()) == (("neg", {"x": vector}), "second")
    assert application("real(x=x, typed=dtype or float32)")({"x": x, "dtype": None}, _Noted()) == ("real", (FLOAT32,), {"x": x})
    assert application("var(**given, sides=(y, 1 if way == 'a' else 0))")({"y": 2, "way": "a"}, _Noted()) == (("var", {"y": 2, "sides": (2, 1)}), "second")


def test_a_row_says_what_it_demands_of_a_call() -> None:
    vector, matrix = (TensorType(Shape(sizes), FLOAT32) for sizes in ((3,), (3, 4)))
    refused = call("torch.fliplr", (vector,), {}).refused
    assert refused is not None and (refused.code, refused.message) == ("flip/rank", "fliplr needs two axes, and x is (3,)")
    assert call("torch.fliplr", (matrix,), {}).refused is None
    unknown = call("torch.fliplr", (vector.but(shape=unknown_shape("u")),), {})
    assert unknown.refused is None and "the rank is not known" in str(unknown.unknown)
    assert "the last axes stay dense" in str(call("torch.Tensor.to_sparse_bsr", (matrix, (1, 1)), {"dense_dim": 1}).unknown)
    assert call("tf.shape_n", ([vector, matrix.but(dtype=INT32)],), {}).refused is not None


def test_a_row_applies_operators_that_it_names() -> None:
    for library in LIBRARIES:
        for name in rows.names(library):
            for row in rows.rows(name):
                if row.applies:
                    assert row.applies.partition("(")[0] in (*row.operators, *row.instead), row.source
