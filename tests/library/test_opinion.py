"""What is made of a difference: whose fault it is, or why it is no one's."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from tensorproof.equivalence.api import Api, chosen
from tensorproof.equivalence.arrays import Array
from tensorproof.equivalence.call import Call, Input
from tensorproof.equivalence.campaigns.job import Job, Result, Work
from tensorproof.equivalence.dialects import dialect
from tensorproof.equivalence.grouping import cause, grouped
from tensorproof.equivalence.oracle import template
from tensorproof.equivalence.rule import Pair


@cache
def work() -> Work:
    return Work("torch", dialect("torch"))


def judged(rule: str, pair: Pair, call: Call) -> tuple[str, str]:
    """The verdict and the wrong side."""
    result = Result("test")
    on, by = work(), work().rules[rule]
    with on.dialect.quiet(by.gradients):
        left, right = on.runner.both(pair, call.inputs)
        on._judged(call.api.name, by, pair, call, left, right, result.count("", ""), result)
    verdict = next(name for name in result.count("", "") if name != "pairs")
    return verdict, result.findings[0]["wrong_side"] if result.findings else ""


def call(**inputs: Any) -> Call:
    arrays = {name: Array(str(np.asarray(x).dtype), np.asarray(x)) for name, x in inputs.items()}
    return Call(Api("torch.example", ()), (), {}, None, arrays)


def run(rule: str, name: str, block: int = 0) -> Result:
    return work().run(Job("test", "torch", (name,), (rule,), block, 3))


def raising(api: str, number: int, rule: str, symptom: str) -> dict[str, Any]:
    kept: dict[str, Any] = {"call": None, "pair": None, "opinion": "", "wrong_side": "right"}
    return {"api": api, "number": number, "rule": rule, "kind": "raises", "symptom": symptom, **kept}


def test_whole_numbers_that_wrap() -> None:
    narrow = call(a=np.array([0, 2], dtype="uint8"))
    assert judged("element-type", Pair("-a", "-a.to(torch.int64)", compare="numbers"), narrow) == ("wrap", "")
    assert judged("element-type", Pair("-a", "-a.to(torch.int64) - 1", compare="numbers"), narrow)[0] == "finding"


def test_overflow_in_another_result_than_the_first() -> None:
    large = call(a=np.array([3e38, 1.0], dtype="float32"))
    assert judged("strided", Pair("(a[1], a[0] * 3)", "(a[1] * 2, a[0] * 3)"), large) == ("overflow", "")


def test_the_side_that_is_not_its_formula_is_wrong() -> None:
    pair = Pair("a.exp() * 1.01", "a.double().exp()", compare="numbers", reference="a.double().exp()")
    assert judged("formula", pair, call(a=np.array([0.5, 1.0], dtype="float32"))) == ("finding", "left")


def test_two_names_that_differ_in_double_precision_too_are_not_distinguished_by_it() -> None:
    numbers = call(a=np.array([0.5, 1.0], dtype="float32"))
    assert judged("spellings", Pair("a.exp()", "a.exp() * 1.01"), numbers) == ("finding", "")
    assert judged("strided", Pair("a.exp()", "a.exp() * 1.01"), numbers) == ("finding", "right")


def test_the_catalogue_says_which_of_two_names_is_wrong() -> None:
    api = chosen("torch", ("torch.nn.Softsign",))[0]
    made = Call(api, (Input("a"),), {}, {}, {"a": Array("float32", np.array([0.5, 1.0], dtype="float32"))})
    pair = Pair(made.expression(work().dialect), "torch.nn.functional.softsign(a) * 1.01", made.setup(work().dialect))
    assert judged("spellings", pair, made) == ("finding", "right")


def test_a_derivative_that_differs_from_finite_differences_is_wrong() -> None:
    steps = [f"(f(a + {s}) - f(a - {s})) / (2 * {s})" for s in (1e-6, 1e-7)]
    pair = Pair(steps[0], "torch.tensor([2.0], dtype=torch.float64)", "f = lambda a: a ** 2", again=steps[1])
    assert judged("derivative", pair, call(a=np.array([3.0]))) == ("finding", "right")


def test_a_basis_that_is_not_determined_has_no_derivative() -> None:
    result = run("derivative", "torch.linalg.svd", 1)
    assert not [f for f in result.findings if f["verdict"] == "finding"]


def test_compressed_indices_that_break_their_invariants_are_no_valid_call() -> None:
    assert not run("round-trip", "torch.sparse_csc_tensor").findings


@pytest.mark.parametrize("name", ["torch.nn.LazyLinear", "torch.nn.LazyConvTranspose3d"])
def test_a_lazy_layer_is_loaded_into_one_without_weights(name: str) -> None:
    result = run("save-load", name)
    assert not result.findings and result.counts[f"{name}\tsave-load"]["agree"]


def test_a_message_over_several_element_types_is_one() -> None:
    words = "result type Float can't be cast to the desired output type {}"
    assert template(words.format("Long")) == template(words.format("Bool")) == template(words.format("ComplexFloat"))
    assert template("expected torch.float32, got c10::Half") == template("expected torch.int64, got float")


def test_an_error_of_a_meta_kernel_is_one_group_under_all_compilers() -> None:
    def finding(rule: str, symptom: str) -> dict[str, Any]:
        return raising("torch.index_add", 0, rule, symptom)

    plain = "right: RuntimeError: alpha argument of type # cannot be cast"
    wrapped = "right: TorchRuntimeError: RuntimeError when making fake tensor call: RuntimeError: alpha argument of type # cannot be cast"
    assert cause(finding("meta", plain), {}) == cause(finding("aot-eager", wrapped), {}) == cause(finding("export", plain), {})
    assert cause(finding("meta", plain), {}) != cause(finding("aot-eager", wrapped.replace("alpha", "beta")), {})


def test_a_call_that_several_rules_refuse_is_not_validated_by_the_plain_call() -> None:
    findings = [
        raising("torch.batch_norm", 4, "vmap", "right: RuntimeError: sizes differ"), raising("torch.batch_norm", 4, "derivative", "right: RuntimeError: bad"),
        raising("torch.batch_norm", 5, "vmap", "right: RuntimeError: sizes differ"), raising("torch.mm", 5, "sparse", "right: IndexError: no"),
        raising("torch.mm", 5, "vmap", "right: TypeError: no"),
    ]  # fmt: skip
    groups = sorted((len(group), group[0]["wrong_side"]) for group in grouped(findings, {}).values())
    assert groups == [(1, "right"), (1, "right"), (3, "left")]


@pytest.mark.parametrize("name", ["torch.linalg.eigh", "torch.linalg.cholesky_ex", "torch.linalg.cholesky"])
def test_a_matrix_of_which_one_half_is_read_is_varied_in_both(name: str) -> None:
    results = [run("derivative", name, block) for block in range(2)]
    assert not [f for r in results for f in r.findings if f["verdict"] == "finding"]
    assert sum(r.counts[f"{name}\tderivative"]["agree"] for r in results)


def test_a_derivative_by_convention_is_not_compared() -> None:
    assert not work().rules["derivative"].fits(chosen("torch", ("torch.fake_quantize_per_tensor_affine",))[0])


def test_apostrophes_are_no_quotes() -> None:
    assert template("We don't have an op for x but it isn't one") != template("We don't have an op for y but it isn't one")


def test_eigenvalues_have_no_order() -> None:
    api = chosen("torch", ("torch.linalg.eigvals",))[0]
    made = Call(api, (Input("a"),), {}, None, {"a": Array("float32", np.array([[1.0, 0.0], [0.0, 2.0]], dtype="float32"))})
    assert judged("element-type", Pair("torch.linalg.eigvals(a)", "torch.linalg.eigvals(a).flip(-1)"), made) == ("undefined", "")


@pytest.mark.parametrize("name", ["torch.cholesky_solve", "torch.linalg.solve_triangular"])
def test_a_triangular_matrix_is_varied_in_its_own_half(name: str) -> None:
    results = [run("derivative", name, block) for block in range(2)]
    assert not [f for r in results for f in r.findings if f["verdict"] == "finding"]
    assert sum(r.counts[f"{name}\tderivative"]["agree"] for r in results)


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("derivative", "torch.Tensor.bfloat16"), ("derivative", "torch.nn.functional.embedding_bag"), ("formula", "torch.nn.functional.linear"),
        ("jit-trace", "torch.nn.EmbeddingBag.from_pretrained"), ("meta", "torch.from_dlpack"),
        ("round-trip", "torch.nn.utils.rnn.pack_padded_sequence"), ("strided", "torch.detach_"), ("vmap", "torch.Tensor.unsqueeze_"),
        ("derivative", "torch.Tensor.sparse_mask"), ("vmap", "torch.atleast_3d"), ("derivative", "torch.nextafter"), ("derivative", "torch.mvlgamma"),
        ("strided", "torch.view_as_complex_copy"),
        ("whole-images", "torch.Tensor.numpy"), ("whole-images", "torch.Tensor.type_as"),
    ],
)  # fmt: skip
def test_nothing_is_reported(rule: str, name: str) -> None:
    for block in range(3):
        result = work().run(Job("test", "torch", (name,), (rule,), block, 0))
        assert not [f["words"] for f in result.findings if f["verdict"] == "finding"]


def test_large_complex_numbers_overflow() -> None:
    large = call(a=np.array([1e300 + 1e300j]))
    assert judged("strided", Pair("a * 2", 'a * float("inf")'), large) == ("overflow", "")
