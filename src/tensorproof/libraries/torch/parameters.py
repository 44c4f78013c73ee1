"""nn.Parameter: a tensor that a module counts among its parameters."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.bindings.unknown_arguments import open_tensor
from tensorproof.terms import FLOAT32, Shape, TensorType
from tensorproof.values import Args, Kwargs, Machine, Unknown, Value
from tensorproof.values.python_values import AFTER_ERROR


def parameter(m: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    data = args[0] if args else kwargs.get("data")
    if data is None:
        data = TensorType(Shape((0,)), FLOAT32)
    if type(data) is Unknown and data is not AFTER_ERROR and not (data.text or data.number or data.octets):
        m.gap("torch.nn.Parameter", node, "an argument is not known")
        m.session.site = f"@{getattr(node, 'lineno', 0)}"
        data = open_tensor(data, "torch", m.session)
    if not isinstance(data, TensorType):
        return m.gap("torch.nn.Parameter", node, "of something that is not a tensor")
    if data.framework == "numpy":
        raise m.raised("AttributeError", "nn.Parameter takes a tensor, and this is a NumPy array: write torch.from_numpy(…)", node)
    grad = kwargs.get("requires_grad", args[1] if len(args) > 1 else True)
    if type(grad) in (int, float, str, type(None)):
        raise m.raised("TypeError", f"requires_grad is True or False, and not {grad!r}", node, "call/arguments")
    if grad is True and data.dtype is not None and not (data.dtype.is_float or data.dtype.is_complex):
        words = f"only tensors of floating point and complex type can require gradients, and this is {data.dtype!r}: use requires_grad=False"
        raise m.raised("RuntimeError", words, node, "requires_grad/dtype")
    return m.path.taken(data, m.memory.sharing(data.but(parameter=True, requires_grad=grad is True, contents=None, grad=None), data))


FUNCTIONS: dict[str, Any] = {"torch.nn.Parameter": parameter, "torch.nn.parameter.Parameter": parameter}
