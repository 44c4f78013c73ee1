"""A call's arguments, bound to the names of the library's signature."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from tensorproof.libraries import signatures
from tensorproof.libraries.bound import Bound, bind
from tensorproof.values.python_values import Summary, Unknown

HERE = ast.parse("f()").body[0]


class Refused(Exception):
    pass


class _Machine:
    def raised(self, kind: str, message: str, node: ast.AST, code: str) -> Exception:
        return Refused(f"{kind}: {message}")


def call(name: str, *args: Any, **kwargs: Any) -> Bound:
    return bind(_Machine(), name, args, kwargs, HERE)


LOADER = "torch.utils.data.DataLoader"


def test_arguments_are_bound_by_place_and_by_name() -> None:
    bound = call(LOADER, "data", 4, drop_last=True)
    assert (bound.value("dataset"), bound.whole("batch_size", 1), bound.value("drop_last")) == ("data", 4, True)


def test_what_is_not_given_is_the_default() -> None:
    bound = call(LOADER, "data")
    assert bound.whole("batch_size", 1) == 1 and not bound.given("sampler") and bound.value("sampler") is None


def test_a_value_of_another_kind_is_unknown() -> None:
    assert isinstance(call(LOADER, "data", "four").whole("batch_size", 1), Unknown)


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        (("data",), {"bach_size": 4}, "DataLoader has no argument bach_size"),
        ((), {}, "DataLoader needs dataset"),
        (("data", 4), {"batch_size": 4}, "DataLoader gets batch_size twice"),
        (tuple(range(20)), {}, "DataLoader takes 13 arguments by position, 20 are given"),
    ],
)
def test_a_call_that_does_not_fit_is_refused(args: tuple[Any, ...], kwargs: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused, match=f"TypeError: {words}"):
        call(LOADER, *args, **kwargs)


def test_further_arguments_by_position_and_by_name() -> None:
    assert call("torch.utils.data.TensorDataset", 1, 2).more == (1, 2)
    assert call("torch.utils.data.StackDataset", a=1, b=2).named == {"a": 1, "b": 2}


def test_of_a_list_of_unknown_length_any_argument_may_come() -> None:
    bound = call(LOADER, "data", Summary("parts"))
    assert bound.value("dataset") == "data" and isinstance(bound.value("batch_size", 1), Unknown)


def test_an_argument_with_two_names_is_one_argument() -> None:
    assert call("torch.cumsum", "x", axis=1).value("dim") == 1


def test_forms_are_tried_one_after_the_other() -> None:
    assert call("torch.linalg.norm", "x", ord=2, dim=1).value("dim") == 1
    assert call("torch.linalg.norm", "x", "fro").value("ord") == "fro"
    assert len(signatures.forms("torch.linalg.norm")) > 1


def test_the_name_that_no_form_has_is_named() -> None:
    with pytest.raises(Refused, match="cumsum has no argument dimm"):
        call("torch.cumsum", "x", dimm=1)


def test_init_has_the_arguments_of_its_class() -> None:
    assert signatures.forms(f"{LOADER}.__init__")[0].placed[:2] == ("self", "dataset")


def test_both_versions_of_tensorflow_are_found_under_either_name() -> None:
    assert signatures.forms("tf.compat.v1.reduce_sum") == signatures.forms("tf.reduce_sum") != ()
