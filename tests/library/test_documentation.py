"""Constraints are read from signatures and docstrings of both styles, and labelled parameters are read as labelled."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorproof.bindings.rows import rows
from tensorproof.equivalence.api import Api, is_public
from tensorproof.equivalence.documentation.candidates import candidate
from tensorproof.equivalence.documentation.constraint import Constraint, Parameter
from tensorproof.equivalence.documentation.drawing import documented_call
from tensorproof.equivalence.documentation.known import LIBRARIES, Documented, documented, read_forms
from tensorproof.equivalence.documentation.reading import read
from tensorproof.equivalence.documentation.template import Drawn, Template, template
from tensorproof.equivalence.rules import rules
from tensorproof.terms.dtypes import BY_LABEL


def google(image: Any, size: Any, mode: str = "near", rate: float = 0.5, **more: Any) -> None:
    """Scales images.

    Args:
      image: A `Tensor`. Must be one of the following types: `half`, `float32`.
        4-D with shape `[batch, height, width, channels]`.
      size: A 1-D `int32` tensor of 2 elements.
      mode: One of `"near"` or `"cubic"`.
      rate: Float between 0 and 1.

    Returns:
      A tensor. Has the same type as `image`.
    """


def torch_style(input: Any, other: Any, kernel: Any, *, out: Any = None) -> None:
    r"""torch_style(input, other, kernel, *, out=None) -> Tensor

    :attr:`input` must be non-negative. If :attr:`input` is a :math:`(n \times m)` tensor, :attr:`other` is a :math:`(m \times p)` tensor.

    Args:
        input (Tensor): the input tensor
        other (Tensor or Number): the other one
        kernel (int or tuple of two ints): the window

    Keyword args:
        out (Tensor, optional): the output tensor.
    """


def test_entries_in_google_style() -> None:
    image, size, mode, rate = read(google, "google")
    assert image.said == Constraint(("tensor",), ("float16", "float32"), ("4",)) and image.sizes == ("batch", "height", "width", "channels")
    assert size.said == Constraint(("tensor",), ("int32",), ("[2]",))
    assert mode.said == Constraint(("str",), choices=("cubic", "near")) and not mode.required
    assert rate.said == Constraint(("float",), range="[0,1]")


def test_entries_in_the_style_of_torch() -> None:
    first, other, kernel, out = read(torch_style, "torch_style")
    assert first.said == Constraint(("tensor",), shape=("2",), range=">=0") and first.sizes == ("n", "m")
    assert other.said == Constraint(("number", "tensor"), shape=("2",))
    assert kernel.said == Constraint(("int", "list"), ("int",), ("[2]",))
    assert out.kind == "keyword" and not out.required


def test_a_parameter_survives_json() -> None:
    for parameter in (*read(google, "google"), *read(torch_style, "torch_style")):
        assert Parameter.from_json(parameter.as_json()) == parameter


# --- forms of calls ---


def test_a_form_survives_its_text() -> None:
    form = Template((Drawn("float32", ("a", 2)), [Drawn("int64", (), (0, 3))], 0.5), {"axis": -1, "dtype": BY_LABEL["int32"], "mode": "a=b"}, {"rate": None})
    assert template(form.text) == form


def test_the_same_letter_is_the_same_size_and_numbers_stay_in_their_range() -> None:
    api = Api("tf.raw_ops.X", (), Documented("tf.raw_ops.X", ("x=float32[a,b]\ty=int32[b]{2,3}",)))
    for number in range(20):
        call = documented_call(api, 7, number, special=False)
        x, y = call.inputs.values()
        assert x.shape[1] == y.shape[0] and set(y.data.tolist()) <= {2, 3}
        assert documented_call(api, 7, number, special=False).as_json() == call.as_json()


def test_a_list_of_forms_is_read_as_written() -> None:
    one = Documented("torch.x", ("float32[a]", "float32[a]\tdim=0"), random=True, written=(0, 2))
    assert read_forms(f"# torch 1: a comment\n{one.text}\n") == {"torch.x": one}


def test_forms_fit_what_documentation_says() -> None:
    for seed in range(50):
        form = candidate(read(google, "google"), None, Random(seed))
        image, size = form.args
        assert image.label in ("float16", "float32") and len(image.sizes) == 4
        assert size.label == "int32" and (size.sizes == (2,))
        assert form.kwargs.get("mode", "near") in ("near", "cubic") and 0 <= form.kwargs.get("rate", 0) <= 1


def test_documented_names_are_public_and_not_in_the_catalogue() -> None:
    for library in LIBRARIES:
        for name, one in documented(library).items():
            assert is_public(name) and not rows(name) and one.forms and all(template(form).tensors for form in one.forms)


def test_only_rules_without_facts_take_documented_names() -> None:
    api = Api("torch.x", (), Documented("torch.x", ("float32[a]",)))
    fitting = {rule.name for rule in rules() if rule.fits(api)}
    assert "strided" in fitting and "vmap" not in fitting
