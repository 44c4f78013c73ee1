"""Changes that `numerics --fix` proposes: they are proved, they are what people would write, and they leave the rest of the file alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorproof.app.numerics.fixes import changed, fix, fixes
from tensorproof.app.numerics.report import Report, numerics
from tensorproof.app.program import Options
from tensorproof.engines.numerics.inputs.ranges import Given
from tensorproof.engines.numerics.records import Settings
from tests.numerics.test_programs import Case, analysed, cases, reported

TORCH = "import torch\nimport torch.nn.functional as F\nz = torch.randn(8, 5) * 30\n"
TENSORFLOW = "import tensorflow as tf\nz = tf.random.normal((8, 5)) * 30.0\n"
KERAS = "import keras\nfrom keras import ops\nz = keras.random.normal((8, 5)) * 30.0\n"


def mended(code: str, folder: Path) -> str:
    return changed(code, fixes(analysed(code, folder), Options(), Settings(), Given()))


@pytest.mark.parametrize(
    "before, after",
    [
        (TORCH + "y = torch.log(torch.softmax(z, dim=1))\n", "y = torch.log_softmax(z, dim=1)"),
        (TORCH + "p = F.softmax(z, 1)\ny = p.log()\n", "y = F.log_softmax(z, 1)"),
        (TORCH + "y = z.softmax(-1).log().mean()\n", "y = z.log_softmax(-1).mean()"),
        (TORCH + "p = torch.sigmoid(z)\ny = torch.log(1 - p)\n", "y = F.logsigmoid(-z)"),
        (TORCH + "y = torch.log(torch.exp(z).sum(dim=1))\n", "y = torch.logsumexp(z, dim=1)"),
        (TORCH + "y = torch.log1p(torch.exp(z * 2))\n", "y = F.softplus(z * 2)"),
        (TORCH + "e = torch.exp(z)\ny = e / e.sum(1, keepdim=True)\n", "e = torch.exp(z - z.amax(dim=1, keepdim=True))"),
        (TORCH + "y = torch.exp(z) / torch.exp(z).sum(1, keepdim=True)\n", "y = torch.softmax(z, dim=1)"),
        (TORCH + "e = torch.exp(z)\ny = e / e.sum(1, keepdim=True)\nw = e * 2\n", "e = torch.exp(z.clamp(max=80.0))"),
        (TORCH + "y = z / (z.abs().sum(1, keepdim=True))\n", "y = z / z.abs().sum(1, keepdim=True).clamp(min=1e-6)"),
        (TORCH + "w = z.std(1)\nz /= w[:, None]\n", "z /= w[:, None].clamp(min=1e-6)"),
        (TORCH + "y = torch.acos(z)\n", "y = torch.acos(z.clamp(-0.99999, 0.99999))"),
        (TENSORFLOW + "y = tf.math.log(tf.nn.softmax(z))\n", "y = tf.nn.log_softmax(z)"),
        (TENSORFLOW + "y = tf.math.log(tf.reduce_sum(tf.exp(z), axis=1))\n", "y = tf.reduce_logsumexp(z, axis=1)"),
        (TENSORFLOW + "y = tf.sqrt(z)\n", "y = tf.sqrt(tf.maximum(z, 0.0))"),
        (KERAS + "y = ops.log(ops.softmax(z))\n", "y = ops.log_softmax(z)"),
        (KERAS + "y = ops.log(ops.sigmoid(z))\n", "y = ops.log_sigmoid(z)"),
        (KERAS + "y = ops.exp(z)\n", "y = ops.exp(ops.minimum(z, 80.0))"),
    ],
)
def test_the_change_is_the_one_that_people_make(before: str, after: str, tmp_path: Path) -> None:
    assert after in mended(before, tmp_path).splitlines()


def test_a_model_is_not_called_twice_by_a_change(tmp_path: Path) -> None:
    code = TORCH + "net = torch.nn.Sequential(torch.nn.Linear(5, 5), torch.nn.ReLU())\np = torch.softmax(net(z), dim=1)\ny = torch.log(p)\n"
    assert mended(code, tmp_path).splitlines()[-1] == "y = torch.log(p.clamp(min=1e-6))"


def test_several_changes_are_proved_together(tmp_path: Path) -> None:
    code = TORCH + "p = torch.full((8, 5), 0.2)\nq = torch.softmax(z, 1)\nd = (p * (p / q).log()).sum(-1).mean() + (p / q.sum()).mean()\n"
    assert reported(analysed(mended(code, tmp_path), tmp_path)) == set()


@pytest.mark.parametrize("case", [c for c in cases() if c.title.startswith("torch") and not c.open], ids=lambda c: c.title)
def test_each_fault_has_a_change_after_which_nothing_is_reported(case: Case, tmp_path: Path) -> None:
    assert reported(analysed(mended(case.faulty, tmp_path), tmp_path)) == set()


AUTOCAST = """import torch
q, k = torch.randn(4, 32, 64) * 8, torch.randn(4, 32, 64) * 8
with torch.autocast("cpu", dtype=torch.float16):
    scores = q @ k.transpose(-1, -2)
    weights = torch.softmax(scores, dim=-1)
"""


def test_one_operation_is_computed_in_float32_under_autocast(tmp_path: Path) -> None:
    lines = mended(AUTOCAST, tmp_path).splitlines()
    assert lines[3:5] == ['    with torch.autocast("cpu", enabled=False):', "        scores = q.float() @ k.transpose(-1, -2).float()"]


def test_a_saved_model_gets_a_precondition_on_its_input(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    helper, real = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [helper.make_node("Log", ["x"], ["y"], name="log"), helper.make_node("Exp", ["z"], ["w"], name="exp")]
    inputs, outputs = [helper.make_tensor_value_info(name, real, [4]) for name in "xz"], [helper.make_tensor_value_info(name, real, [4]) for name in "yw"]
    file = tmp_path / "model.onnx"
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", inputs, outputs), opset_imports=[helper.make_opsetid("", 17)]), file)
    found = numerics(str(file), Options(), Settings(), Given())
    fix(found, Options(), Settings(), Given())
    proved = {p.name: p.range for p in found.preconditions}
    assert proved["x"].lo > 0 and proved["z"].hi < 89
    given = Given(proved)
    assert [one.verdict for one in numerics(str(file), Options(), Settings(), given).operations] == ["safe", "safe"]


def test_a_change_does_not_make_the_program_crash(tmp_path: Path) -> None:
    code = """import torch
q = torch.randn(4, 32, 64, dtype=torch.float16) * 8
k = torch.randn(4, 32, 64, dtype=torch.float16) * 8
v = torch.randn(4, 32, 64, dtype=torch.float16)
scores = q @ k.transpose(-1, -2)
out = torch.softmax(scores, dim=-1) @ v
"""
    assert ".float()" not in mended(code, tmp_path)


POINCARE = """import torch

emb = torch.nn.Embedding(50, 5)
opt = torch.optim.SGD(emb.parameters(), lr=0.1)
u, v = emb(torch.randint(0, 50, (16,))), emb(torch.randint(0, 50, (16,)))
sq = ((u - v) ** 2).sum(-1)
gamma = 1 + 2 * sq / ((1 - (u ** 2).sum(-1)) * (1 - (v ** 2).sum(-1)))
d = torch.acosh(gamma)
d.mean().backward()
opt.step()
"""


def fixed(code: str, folder: Path) -> Report:
    """The report with changes."""
    found = analysed(code, folder)
    fix(found, Options(), Settings(), Given())
    return found


def test_a_change_that_only_a_later_line_lets_pass_is_found(tmp_path: Path) -> None:
    """With a positive divisor the arc cosine is defined, and its derivative at 1 is infinite: both lines are changed, the later one first."""
    found = fixed(POINCARE, tmp_path)
    assert [(f.line, f.codes) for f in found.fixes] == [(7, ("acosh/domain", "div/zero"))]


def test_operations_without_a_change_are_named(tmp_path: Path) -> None:
    from tensorproof.reporters.numerics import full

    code = "import tensorflow as tf\nw = tf.Variable(tf.random.normal((10, 4)))\nwith tf.GradientTape() as tape:\n"
    code += "    u = tf.random.normal((8, 10)) @ w\n    loss = tf.reduce_sum(tf.norm(u, axis=1)) + tf.reduce_sum(tf.math.log(tf.nn.softmax(u)))\n"
    code += "g = tape.gradient(loss, w)\nw.assign_sub(0.1 * g)\n"
    assert "no change was found that is proved:\n" in full(fixed(code, tmp_path))
