"""How a source file writes a clamp, a cast or a maximum: in the words of its framework, with the names under which it imports it."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tensorproof.terms.records import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """Forms in which `{0}` is the operand and `{1}`, `{2}` are numbers; `{0}` stands alone or in brackets, as `method` asks."""

    floor: str
    cap: str
    clip: str
    wide: str
    nonzero: str
    greatest: str
    """The maximum along the axis `{1}`, which is kept."""
    log_sigmoid: str
    log_sum_exp: str
    softplus: str
    softmax: str
    """The softmax along the axis `{1}`."""
    method: bool = False
    """Whether the forms call methods of the operand."""


def dialect(spelling: str, imported: Mapping[str, str]) -> Dialect | None:
    """The forms for an operation that is spelt so, in a file that imports modules under these names."""
    torch, tf, keras, ops = imported.get("torch"), imported.get("tensorflow"), imported.get("keras"), imported.get("keras.ops")
    if keras is not None and ops is None:
        ops = f"{keras}.ops"
    if spelling.startswith("torch") or (tf is None and ops is None and torch is not None):
        return _torch(torch or "torch", imported.get("torch.nn.functional")) if torch is not None else None
    if ops is not None and (spelling.startswith("keras") or tf is None):
        return _keras(ops)
    return _tensorflow(tf) if tf is not None else None


def _torch(torch: str, functional: str | None) -> Dialect:
    f = functional or f"{torch}.nn.functional"
    return Dialect(
        "{0}.clamp(min={1})", "{0}.clamp(max={1})", "{0}.clamp({1}, {2})", "{0}.float()", f"{torch}.where({{0}} == 0, {{1}}, {{0}})",
        "{0}.amax(dim={1}, keepdim=True)", f"{f}.logsigmoid({{0}})", f"{torch}.logsumexp({{0}}, dim={{1}})", f"{f}.softplus({{0}})",
        f"{torch}.softmax({{0}}, dim={{1}})", True,
    )  # fmt: skip


def _tensorflow(tf: str) -> Dialect:
    return Dialect(
        f"{tf}.maximum({{0}}, {{1}})", f"{tf}.minimum({{0}}, {{1}})", f"{tf}.clip_by_value({{0}}, {{1}}, {{2}})", f"{tf}.cast({{0}}, {tf}.float32)",
        f"{tf}.where({{0}} == 0, {{1}}, {{0}})", f"{tf}.reduce_max({{0}}, axis={{1}}, keepdims=True)", f"{tf}.math.log_sigmoid({{0}})",
        f"{tf}.reduce_logsumexp({{0}}, axis={{1}})", f"{tf}.math.softplus({{0}})", f"{tf}.nn.softmax({{0}}, axis={{1}})",
    )  # fmt: skip


def _keras(ops: str) -> Dialect:
    return Dialect(
        f"{ops}.maximum({{0}}, {{1}})", f"{ops}.minimum({{0}}, {{1}})", f"{ops}.clip({{0}}, {{1}}, {{2}})", f'{ops}.cast({{0}}, "float32")',
        f"{ops}.where({ops}.equal({{0}}, 0), {{1}}, {{0}})", f"{ops}.max({{0}}, axis={{1}}, keepdims=True)", f"{ops}.log_sigmoid({{0}})",
        f"{ops}.logsumexp({{0}}, axis={{1}})", f"{ops}.softplus({{0}})", f"{ops}.softmax({{0}}, axis={{1}})",
    )  # fmt: skip


def imports(tree: ast.Module) -> dict[str, str]:
    """The names under which a file imports frameworks, by the names of their modules; TensorFlow's compatibility modules are TensorFlow."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.asname is None:
                    found.setdefault(one.name.partition(".")[0], one.name.partition(".")[0])
                else:
                    found.setdefault("tensorflow" if one.name.startswith("tensorflow.compat.v") else one.name, one.asname)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for one in node.names:
                found.setdefault(f"{node.module}.{one.name}", one.asname or one.name)
    for longer in ("tensorflow.keras.ops", "tensorflow.keras"):
        if longer in found:
            found.setdefault(longer.removeprefix("tensorflow."), found[longer])
    return found
