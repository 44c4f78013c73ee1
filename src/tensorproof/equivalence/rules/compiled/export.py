"""A function that is exported, saved, loaded and run gives the same result as the function itself."""

from __future__ import annotations

from tensorproof.equivalence.rule import Rule
from tensorproof.equivalence.tracing import can_be_traced, traced_pairs

_RELOADED = """import io
def reloaded(function, *given):
    module = type("Module", (torch.nn.Module,), {"__module__": __name__, "forward": lambda self, *given: function(*given)})()
    file = io.BytesIO(); torch.export.save(torch.export.export(module, given), file); file.seek(0)
    return torch.export.load(file).module()(*given)"""

RULE = Rule("export", "export", "eager = torch.export, saved and loaded", ("torch",), traced_pairs("lambda *given: reloaded({}, *given)", _RELOADED),
            can_be_traced, batched=True, chunk=4, thin=3,
            unsupported="SerializeError|DynamicOutputShape|DataDependent|metadata mutating|data pointer")  # fmt: skip
