"""The lists of public names, and the list of names that touch no shape."""

import fnmatch
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tensorproof.bindings import names

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "name",
    [
        "torch.add",
        "torch.nn.Conv2d",
        "torch.nn.functional.relu",
        "torch.Tensor.view",
        "torch.linalg.svd",
        "torch.fft.rfft",
        "torch.special.expit",
        "torch.utils.data.DataLoader",
        "torch.optim.AdamW",
        "torch.nn.utils.rnn.pad_sequence",
        "tf.nn.conv2d",
        "tensorflow.math.log",
        "tf.compat.v1.placeholder",
        "tf.compat.v1.losses.softmax_cross_entropy",
        "tf.image.resize",
        "tf.raw_ops.MatMul",
        "tf.keras.layers.Dense",
        "keras.layers.Conv2D",
        "keras.ops.matmul",
        "np.zeros",
        "numpy.linalg.norm",
        "numpy.ndarray.reshape",
        "onnx.Conv",
        "onnx.ml.Scaler",
    ],
)
def test_a_name_that_the_library_has_is_public(name: str) -> None:
    assert names.is_public(name) is True


@pytest.mark.parametrize(
    "name",
    [
        "torch.concatt",
        "torch.nn.Conv2D",
        "torch.nn.functional.conv4d",
        "torch.Tensor.reshap",
        "torch.nothing.at.all",
        "tf.nn.conv5d",
        "tf.keras.layers.Conv2d",
        "keras.layers.Linear",
        "numpy.cat",
        "onnx.Convolution",
    ],
)
def test_a_name_that_the_library_lacks_is_not_public(name: str) -> None:
    assert names.is_public(name) is False


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("paddle.add", "the library is unknown"),
        ("torch._assert", "private"),
        ("torch.nn.Conv2d.stride", "a class that is not entered"),
        ("tf.placeholder", "TensorFlow 1 has it"),
        ("tf.layers.dense", "TensorFlow 1 has it"),
        ("tf.contrib.layers.flatten", "TensorFlow 1 has it"),
    ],
)
def test_what_is_unknown_is_none(name: str, why: str) -> None:
    assert names.is_public(name) is None, why


def test_the_closest_names_are_of_the_same_namespace() -> None:
    assert names.closest("torch.nn.Conv2D")[0] == "torch.nn.Conv2d"
    assert "torch.cat" in names.closest("torch.catt")
    assert names.closest("tensorflow.nn.con2d", 1) == ["tf.nn.conv2d"]
    assert names.closest("paddle.add") == []


def test_onnx_operators_know_their_opsets() -> None:
    assert names.opsets("onnx.Conv")[:2] == (1, 11)
    assert 13 in names.opsets("onnx.Softmax")
    assert names.opsets("onnx.Convolution") == ()


def test_every_list_tells_its_version_and_is_of_sensible_size() -> None:
    for library, least in {"torch": 5000, "tensorflow": 5000, "keras": 1500, "numpy": 1000, "onnx": 190}.items():
        assert names.version(library)[0].isdigit()
        assert len(names.public(library)) > least
    with pytest.raises(KeyError):
        names.public("paddle")


def test_reading_the_names_imports_no_difflib() -> None:
    program = "import sys; from tensorproof.bindings import names; names.is_public('torch.add'); assert 'difflib' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT / "src")})


@pytest.mark.parametrize("library", ["torch", "numpy", "onnx", "keras"])
def test_the_committed_list_is_fresh(library: str) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    from importlib.metadata import version

    if version(library).split("+")[0] != names.version(library):
        pytest.skip(f"the list is of {library} {names.version(library)}")
    command = [sys.executable, str(ROOT / "tools" / "public_names.py"), library, "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_glob_of_the_no_shape_list_reaches_an_operator() -> None:
    text = (ROOT / "benchmarks" / "no_shape_names.txt").read_text()
    rows = [line.partition("#") for line in text.splitlines() if line and not line.startswith("#")]
    assert all(reason.strip() for _, _, reason in rows), "each name has its reason"
    globs = [pattern.strip() for pattern, _, _ in rows if "*" in pattern]
    spaces = ("torch.Tensor.", "torch.nn.functional.", "torch.linalg.", "torch.fft.", "torch.special.", "torch.sparse.", "torch.nn.init.")
    operators = [name for name in names.public("torch") if name.startswith(spaces) or name.count(".") == 1]
    assert [(name, glob) for name in operators for glob in globs if fnmatch.fnmatchcase(name, glob)] == []
