"""A function and its export to ONNX, run by ONNX Runtime, give the same result."""

from __future__ import annotations

from importlib.util import find_spec

from tensorproof.equivalence.rule import Rule
from tensorproof.equivalence.tracing import can_be_traced, traced_pairs

_EXPORTED = """def exported(function, *given):
    module = type("Module", (torch.nn.Module,), {"__module__": __name__, "forward": lambda self, *given: function(*given)})()
    made = torch.onnx.export(module, given, dynamo=True, verbose=False)(*given)
    return torch.utils._pytree.tree_unflatten(list(made), torch.utils._pytree.tree_structure(module(*given)))"""


def _ready() -> str:
    missing = [name for name in ("onnx", "onnxscript", "onnxruntime") if find_spec(name) is None]
    return f"it needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed" if missing else ""


RULE = Rule("onnx", "export", "eager = export to ONNX, run by ONNX Runtime", ("torch",), traced_pairs("lambda *given: exported({}, *given)", _EXPORTED),
            can_be_traced, batched=True, chunk=2, special=False, thin=5, share=0.5,
            unsupported="ONNXRuntimeError|Failed to|ONNX", ready=_ready)  # fmt: skip
