"""`--target`: the versions of the libraries that a program is written for, and which names they have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tensorproof.app.check import check_source
from tensorproof.app.program import Options
from tensorproof.cli.shapes import versions_of
from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.python.modules.source import parse

REFUSED = "python/attribute"
PROGRAMS = {
    "new layer": ("import torch\nn = torch.nn.RMSNorm(3)\n", "torch", "2.3", "2.4"),
    "new function": ("import torch\nnet = torch.compile(torch.nn.Linear(2, 3))\n", "torch", "1.13", "2.0"),
    "below a new module": ("import torch\nf = torch.func.grad(lambda x: (x * x).sum())\n", "torch", "1.12", "2.1"),
    "in another": (
        "import torch\nfrom torch.nn import functional as F\nq = torch.zeros(1, 2, 3, 4)\ny = F.scaled_dot_product_attention(q, q, q)\n",
        "torch", "1.13", "2.0",
    ),
    "attribute of a tensor": ("import torch\ny = torch.zeros(2, 3).mT\n", "torch", "1.10", "1.11"),
    "old function": ("import torch\nz = torch.rfft(torch.zeros(4, 4), 1)\n", "torch", "1.8", "1.7"),
    "TensorFlow 1": ("import tensorflow as tf\nx = tf.placeholder(tf.float32, (None, 3))\n", "tensorflow", "2.4", "1.15"),
    "contrib": ("import tensorflow as tf\ny = tf.contrib.layers.flatten(tf.zeros((2, 3, 4)))\n", "tensorflow", "2.0", "1.15"),
    "TensorFlow 2": ("import tensorflow as tf\no = tf.optimizers.Adam(0.1)\n", "tensorflow", "1.15", "2.1"),
    "Keras 3": ("import keras\ny = keras.ops.ones((2, 3))\n", "keras", "2.15", "3.0"),
    "Keras 3 of TensorFlow": ("import tensorflow as tf\ny = tf.keras.ops.ones((2, 3))\n", "tensorflow", "2.15", "2.16"),
    "NumPy": ("import numpy as np\nx = np.zeros(3, dtype=np.float_)\n", "numpy", "2.0", "1.26"),
}  # fmt: skip


def codes(folder: Path, text: str, target: dict[str, str], environment: str | None = None) -> list[str]:
    path = folder / "train.py"
    path.write_text(text, encoding="utf-8")
    return [d.code for d in check_source(parse(str(path), text), Options(target=target, environment=environment)).diagnostics]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_name_is_there_from_its_version_on(name: str, tmp_path: Path) -> None:
    text, library, without, having = PROGRAMS[name]
    assert codes(tmp_path, text, {library: without}) == [REFUSED]
    assert codes(tmp_path, text, {library: having}) == []


def test_torch_keeps_names_to_say_that_they_are_gone(tmp_path: Path) -> None:
    text = "import torch\ne, v = torch.zeros(2, 2).symeig()\n"
    assert codes(tmp_path, text, {"torch": "2.0"}) == codes(tmp_path, text, {}) == ["eigh/removed"]
    assert codes(tmp_path, text, {"torch": "1.13"}) == []


def test_a_program_for_tensorflow_1_needs_no_target(tmp_path: Path) -> None:
    assert codes(tmp_path, PROGRAMS["TensorFlow 1"][0], {}) == []


def test_the_version_is_the_one_that_is_asked_for(tmp_path: Path) -> None:
    text = "import torch\nif torch.__version__.startswith('1.'):\n    y = torch.zeros(2) + torch.zeros(3)\n"
    assert codes(tmp_path, text, {"torch": "1.13"}) == ["add/broadcast"]
    assert codes(tmp_path, text, {"torch": "2.1"}) == []
    old = "import tensorflow as tf\nx = tf.zeros((2,)) if tf.__version__ == '2.4.0' else None\ny = x + tf.zeros((3,))\n"
    assert codes(tmp_path, old, {"tensorflow": "2.4"}) == ["add/broadcast"]


def test_the_environment_tells_the_version_where_nobody_else_does(tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    (site / "torch-2.1.2+cpu.dist-info").mkdir(parents=True)
    text, *_ = PROGRAMS["new layer"]
    assert codes(tmp_path, text, {}, str(site)) == [REFUSED]
    assert codes(tmp_path, text, {"torch": "2.5"}, str(site)) == []
    asked = "import torch\ny = torch.zeros(2) + torch.zeros(3 if torch.__version__ == '2.1.2' else 2)\n"
    assert codes(tmp_path, asked, {}, str(site)) == ["add/broadcast"]


@pytest.mark.parametrize("words", ["torch", "torch=", "torch=new", "jax=1.0", "torch=1.2,torch=1.3", "", "torch=1.13,,", "torch=1.2.3.4"])
def test_what_is_no_target_is_said_in_one_sentence(words: str) -> None:
    with pytest.raises(BadInput):
        versions_of(words)


def test_targets_are_read() -> None:
    assert versions_of("torch=1.13, tf=1.15") == {"torch": "1.13", "tensorflow": "1.15"}
    assert versions_of(None) == {}


def test_the_option_and_the_setting(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAMS["new layer"][0], encoding="utf-8")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "tensorproof", "check", "train.py", *words], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("--target", "torch=2.3").returncode == 1
    assert run("--target", "torch=2.4").returncode == 0
    refused = run("--target", "torch~2")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    (tmp_path / "pyproject.toml").write_text('[tool.tensorproof]\ntarget = "torch=2.3"\n', encoding="utf-8")
    assert run().returncode == 1
    assert run("--target", "torch=2.4").returncode == 0
