"""Messages of requirements: in the operator's own names, and in those of a program."""

from __future__ import annotations

from tensorproof.ops.statements import Broadcast, SameSize, Side, Spoken, renamed, stated

LAYER = {"weight": Spoken("self.c2.weight", "(128, 32, 3, 3)", "self.c2"), "x": Spoken("h", "(8, 64, 30, 30)")}


def test_a_layer_takes_and_an_input_has() -> None:
    channels = SameSize("channels", Side("x", 64), Side("weight", 32))
    assert stated(channels, LAYER) == "self.c2 takes 32 channels, h has 64 (h is (8, 64, 30, 30))"
    assert stated(channels) == "weight takes 32 channels, x has 64"
    assert stated(SameSize("channels", Side("weight", 1), Side("x", 3)), LAYER) == "self.c2 takes 1 channel, h has 3 (h is (8, 64, 30, 30))"


def test_matrices_have_rows_and_columns() -> None:
    inner = SameSize("inner", Side("x", 4, -1, 2), Side("y", 5, -2, 2))
    assert stated(inner, {"x": Spoken("a", "(3, 4)"), "y": Spoken("b", "(5, 6)")}) == (
        "a has 4 columns, b has 5 rows; they must be equal (a is (3, 4), b is (5, 6))"
    )
    assert stated(SameSize("inner", Side("x", 4, -1, 1), Side("y", 5, -1, 1))) == "x has 4 elements, y has 5 elements; they must be equal"


def test_an_axis_without_a_name_is_said_by_its_number() -> None:
    sides = Side("xs[0]", 56, -2, 4), Side("xs[1]", 57, -2, 4)
    assert stated(SameSize("", *sides, "only axis 1 may differ"), {"xs[1]": Spoken("skip")}) == (
        "axis 2 of xs[0] has size 56, axis 2 of skip has size 57; only axis 1 may differ"
    )


def test_shapes_that_do_not_broadcast_are_both_shown() -> None:
    names = {"x": Spoken("a", "(4,)"), "y": Spoken("b", "(6,)")}
    assert stated(Broadcast(("x", "y"), (4, 6)), names) == "a and b do not broadcast: sizes 4 and 6 must be equal, or one of them 1 (a is (4,), b is (6,))"


def test_names_are_replaced_in_sentences_and_common_words_are_not() -> None:
    names = {"index": Spoken("ids", "(7,)"), "x": Spoken("table", "(5, 3)"), "dim": Spoken("axis", option=True)}
    assert renamed("index 9 is out of range: axis 0 of x has size 5", names) == "index 9 is out of range: axis 0 of table has size 5 (table is (5, 3))"
    assert renamed("the index must have 1 dimension", names) == "ids must have 1 dimension (ids is (7,))"
    assert renamed("dim = 4 is out of range", names) == "axis = 4 is out of range"
    assert renamed("10 channels do not divide into 4 groups", {"groups": Spoken("num_groups", option=True)}) == "10 channels do not divide into 4 groups"
    assert renamed("x is float32", names, with_shapes=False) == "table is float32"
    assert renamed("max.x has 3", names) == "max.x has 3"
