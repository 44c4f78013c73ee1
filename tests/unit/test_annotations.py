"""Annotations that tell shapes narrow the inputs of what is not called."""

from __future__ import annotations

import ast

import pytest

from tensorproof.app.check import check_source
from tensorproof.app.infer import infer
from tensorproof.diagnostics.diagnostic import Verdict
from tensorproof.frontends.python.entry.annotations import inputs, states_shapes
from tensorproof.frontends.python.modules.source import parse

HEAD = "import torch\nfrom torch import Tensor, nn\nfrom jaxtyping import Float, Int\nfrom typing import Annotated, Optional\n"
CONV = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.conv = nn.Conv2d({channels}, 8, 3)\n"
CONV += "    def forward(self, x: {annotation}):\n        return self.conv(x)\n"


def inputs_of(annotation: str) -> list[tuple[str, tuple[int | str | None, ...] | None]]:
    return [(str(i.dtype), i.sizes) for i in inputs(ast.parse(annotation, mode="eval").body)]


@pytest.mark.parametrize(
    ("annotation", "sizes", "dtype"),
    [
        ('Float[Tensor, "batch 3 h w"]', ("batch", 3, "h", "w"), "float32"),
        ('jaxtyping.Float[torch.Tensor, "batch 3 h w"]', ("batch", 3, "h", "w"), "float32"),
        ('''"Float[Tensor, 'batch 3']"''', ("batch", 3), "float32"),
        ('Int[Tensor, "b t"]', ("b", "t"), "int64"),
        ('UInt8[Tensor, "h w"]', ("h", "w"), "uint8"),
        ('Float16[Tensor, ""]', (), "float16"),
        ('Bool[Tensor, "b _ t"]', ("b", None, "t"), "bool"),
        ('Float[Tensor, "b channels=3 #h 2*w"]', ("b", 3, None, "2*w"), "float32"),
        ('Float[Tensor, "b t"] | None', ("b", "t"), "float32"),
        ('Optional[Float[Tensor, "b t"]]', ("b", "t"), "float32"),
        ('Annotated[Tensor, "b t"]', ("b", "t"), "float32"),
        ('Annotated[Tensor, Int, "b t"]', ("b", "t"), "int64"),
        ('"batch 3 h w"', ("batch", 3, "h", "w"), "float32"),
    ],
)
def test_an_annotation_tells_sizes_and_element_type(annotation: str, sizes: tuple[int | str | None, ...], dtype: str) -> None:
    assert inputs_of(annotation) == [(dtype, sizes)]


def test_open_ranks_are_tried_one_by_one() -> None:
    assert [s for _, s in inputs_of('Float[Tensor, "... d"]')] == [(None, "d"), (None, None, "d"), (None, None, None, "d"), ("d",)]
    assert inputs_of('Float[Tensor, "*batch d"]')[1] == ("float32", ("batch0", "batch1", "d"))
    assert [d for d, _ in inputs_of('Num[Tensor, "d"]')] == ["float32", "int64"]


@pytest.mark.parametrize("annotation", ["Tensor", "list[int]", '"Tensor"', 'Literal["a", "b"]', 'dict[str, "a b"]', 'Annotated[int, "a b"]', '"a {b} c"'])
def test_other_annotations_tell_nothing(annotation: str) -> None:
    assert inputs_of(annotation) == []


@pytest.mark.parametrize(
    "annotation", ['Float[Tensor, "batch 3 h w"]', '''"Float[Tensor, 'batch 3 h w']"''', 'Annotated[Tensor, "batch 3 h w"]', '"batch 3 h w"']
)
def test_a_module_is_entered_as_annotated(annotation: str) -> None:
    (found,) = infer(parse("f.py", HEAD + CONV.format(channels=3, annotation=annotation)))
    assert found.contract is not None and found.contract.inputs == {"x": "(batch, 3, h, w)"} and found.contract.outputs == ["(batch, 8, h - 2, w - 2)"]
    wrong = check_source(parse("f.py", HEAD + CONV.format(channels=1, annotation=annotation)))
    assert wrong.verdict is Verdict.INVALID and [d.code for d in wrong.diagnostics] == ["conv2d/channels"]


def test_names_are_shared_by_the_inputs() -> None:
    text = 'def f(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]):\n    return a @ b.T\n\n'
    text += 'def g(a: Float[Tensor, "n 3"], b: Float[Tensor, "n 3"]):\n    return a @ b\n'
    first, second = infer(parse("f.py", HEAD + text))
    assert first.contract is not None and (first.contract.inputs, first.contract.outputs) == ({"a": "(n, d)", "b": "(m, d)"}, ["(n, m)"])
    assert second.contract is not None and second.contract.inputs["b"] == "(3, 3)"


def test_a_function_that_cannot_work_is_an_error() -> None:
    program = check_source(parse("f.py", HEAD + 'def f(a: Float[Tensor, "n 3"], b: Float[Tensor, "4 m"]):\n    return a @ b\n'))
    assert program.verdict is Verdict.INVALID and [d.code for d in program.diagnostics] == ["matmul/inner"]


def test_arguments_of_plain_types_are_no_tensors() -> None:
    text = "class Net(nn.Module):\n    def forward(self, x: Float[Tensor, 'b d'], n: int, flip: bool):\n"
    text += "        y = x.repeat(n, 1)\n        return y.flip(0) if flip else y\n"
    (found,) = infer(parse("f.py", HEAD + text))
    assert found.contract is not None and list(found.contract.inputs) == ["x"]


def test_a_function_is_entered_only_when_all_its_arguments_are_annotated() -> None:
    assert states_shapes(ast.parse('def f(a: Float[Tensor, "n"], b=3): pass').body[0])
    assert not states_shapes(ast.parse('def f(a: Float[Tensor, "n"], b): pass').body[0])
    assert not states_shapes(ast.parse("def f(b=3): pass").body[0])
