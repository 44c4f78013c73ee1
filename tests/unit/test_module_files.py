"""Files without a driver: where their imports lead, what is entered, and what is said of what was not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorproof.app.check import check_source
from tensorproof.app.program import Options, Program
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.modules.source import read
from tensorproof.reporters.text import summary

LAYER = "from torch import nn\nclass G(nn.Module):\n    def __init__(self, i, o):\n        super().__init__()\n        self.fc = nn.Linear(i, o)\n"
LAYER += "    def forward(self, x):\n        return self.fc(x)\n"
MODEL = "class M(nn.Module):\n    def __init__(self, i):\n        super().__init__()\n        self.a, self.b = G(i, 8), G(9, 2)\n"
MODEL += "    def forward(self, x):\n        return self.b(self.a(x))\n"


def checked(folder: Path, main: str, files: dict[str, str], options: Options | None = None) -> Program:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return check_source(read(str(folder / main)), options)


def errors(program: Program) -> list[tuple[str, int]]:
    return [(d.code, d.span.line) for d in program.diagnostics if d.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("main", "line", "package"),
    [
        ("pkg/models.py", "from pkg.layers import G", True),
        ("pkg/models.py", "from .layers import G", True),
        ("pkg/models.py", "from .layers import G", False),
        ("pkg/sub/models.py", "from ..layers import G", True),
        ("pkg/sub/models.py", "from ..layers import G", False),
        ("pkg/sub/models.py", "from pkg.layers import G", False),
        ("src/app/models.py", "from pkg.layers import G", True),
        ("pkg/models.py", "from layers import G", False),
    ],
)
def test_a_file_finds_its_own_package(tmp_path: Path, main: str, line: str, package: bool) -> None:
    files = {"pkg/layers.py": LAYER, main: f"from torch import nn\n{line}\n{MODEL}", "pyproject.toml": ""}
    if package:
        files |= {"pkg/__init__.py": "", "pkg/sub/__init__.py": ""}
    assert errors(checked(tmp_path, main, files)) == [("linear/features", 7)]


def test_a_module_file_honours_the_environment(tmp_path: Path) -> None:
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    files = {
        "env/lib/python3.11/site-packages/goodlayers/__init__.py": LAYER,
        "env/lib/python3.11/site-packages/goodlayers-1.0.dist-info/METADATA": "Requires-Dist: torch\n",
        "m.py": f"from torch import nn\nfrom goodlayers import G\n{MODEL}",
    }
    assert errors(checked(tmp_path, "m.py", files, Options(environment=str(site)))) == [("linear/features", 8)]


def test_a_module_file_honours_the_path(tmp_path: Path) -> None:
    files = {"elsewhere/layers.py": LAYER, "here/m.py": f"from torch import nn\nfrom layers import G\n{MODEL}"}
    assert errors(checked(tmp_path, "here/m.py", files, Options(roots=(str(tmp_path / "elsewhere"),)))) == [("linear/features", 7)]


def test_a_circle_of_imports_in_a_package_is_run_as_python_runs_it(tmp_path: Path) -> None:
    files = {
        "models/__init__.py": "from .base import *\nfrom .net import *\n",
        "models/base.py": "from torch import nn\nclass Base(nn.Module): pass\n",
        "models/net.py": "import torch\nfrom torch import nn\nfrom models import Base\nclass Net(Base):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(3, 4)\n    def forward(self, x):\n        return self.fc(torch.zeros(2, 5))\n",
    }
    assert errors(checked(tmp_path, "models/net.py", files)) == [("linear/features", 9)]


def test_a_package_runs_before_a_file_that_imports_from_it_by_its_full_name(tmp_path: Path) -> None:
    files = {
        "kit/__init__.py": "from kit.base import Base\nfrom kit.net import Net\n",
        "kit/base.py": "from torch import nn\nclass Base(nn.Module): pass\n",
        "kit/net.py": "import torch\nfrom torch import nn\nfrom kit.base import Base\nclass Net(Base):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(3, 4)\n    def forward(self, x):\n        return self.fc(torch.zeros(2, 5))\n",
    }
    assert errors(checked(tmp_path, "kit/net.py", files)) == [("linear/features", 9)]


_MANY = (
    "import numpy as np\nfrom torch import nn\nclass Several(nn.Module):\n"
    "    def __init__(self, *models):\n        super().__init__()\n        self.models = nn.ModuleList(models)\n"
)


@pytest.mark.parametrize("text", [
    _MANY + "    def last(self, at):\n        ends = np.cumsum([m.width for m in self.models])\n        return at % ends[-1]\n",
    "def first(*items):\n    return items[0]\n",
    "import numpy as np\ndef last(*sizes):\n    return np.cumsum(sizes)[-1]\n",
])  # fmt: skip
def test_any_number_of_arguments_is_not_taken_to_be_none(tmp_path: Path, text: str) -> None:
    program = checked(tmp_path, "m.py", {"m.py": text})
    assert (program.verdict.value, errors(program)) == ("unknown", [])


def verdict(tmp_path: Path, text: str) -> tuple[str, list[str]]:
    program = checked(tmp_path, "m.py", {"m.py": text})
    return program.verdict.value, [f"{g.callee} {g.reason}" for g in program.gaps]


@pytest.mark.parametrize("text", ["", "# nothing\n", '"""Words."""\n', "WIDTH = 3\nNAMES = ['a']\n", "import torch\nfrom torch import nn\n"])
def test_a_file_without_code_is_valid_and_says_that_nothing_was_proved(tmp_path: Path, text: str) -> None:
    program = checked(tmp_path, "m.py", {"m.py": text})
    assert program.verdict.value == "valid"
    assert "nothing to prove" in summary([program])


def test_a_function_without_a_caller_is_no_proof(tmp_path: Path) -> None:
    text = "import torch\ndef train(model, batch):\n    return torch.relu(model(batch))\n"
    assert verdict(tmp_path, text) == ("unknown", ["train() it has no caller; its arguments `model` and `batch` are unknown"])


def test_a_function_that_its_file_calls_is_entered_by_its_caller(tmp_path: Path) -> None:
    text = "import torch\ndef wide(n):\n    return torch.zeros(n)\ndef make():\n    return wide(3) + wide(3)\n"
    assert verdict(tmp_path, text) == ("valid", [])


def test_the_top_level_of_a_file_without_a_driver_is_run(tmp_path: Path) -> None:
    text = "import torch\nfrom torch import nn\nLAYER = nn.Conv2d(3, 4, 3, groups=2)\nclass A(nn.Module):\n    def forward(self, x):\n        return x\n"
    assert errors(checked(tmp_path, "m.py", {"m.py": text})) == [("conv2d/groups", 3)]


FAILING = "torch.zeros(2, 3) @ torch.zeros(2, 3)"


@pytest.mark.parametrize(
    "text",
    [
        f"def f():\n    return {FAILING}\n",
        f"def f(x, n=3, *args, **kwargs):\n    return {FAILING}\n",
        f"def f(loader):\n    for x in loader:\n        {FAILING}\n",
        f"async def f(x):\n    return {FAILING}\n",
        f"def f():\n    yield {FAILING}\n",
        f"class A:\n    def step(self, x):\n        return {FAILING}\n",
        f"class A:\n    @staticmethod\n    def step(x):\n        return {FAILING}\n",
        f"class A:\n    @classmethod\n    def step(cls, x):\n        return {FAILING}\n",
        f"class A:\n    @property\n    def step(self):\n        return {FAILING}\n",
        f"class A:\n    def __init__(self, model):\n        self.x = {FAILING}\n",
        f"class A(torch.utils.data.Dataset):\n    def __getitem__(self, i):\n        return {FAILING}\n    def __len__(self):\n        return 3\n",
        f"class A(torch.nn.Module):\n    def forward(self, x):\n        return x\n    def loss(self, x, y):\n        return {FAILING}\n",
        f"if True:\n    def f(x):\n        return {FAILING}\n",
        f"@torch.no_grad()\ndef f(x):\n    return {FAILING}\n",
    ],
)
def test_what_fails_for_every_argument_is_found(tmp_path: Path, text: str) -> None:
    assert [code for code, _ in errors(checked(tmp_path, "m.py", {"m.py": f"import torch\n{text}"}))] == ["matmul/inner"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(n=3):\n    return torch.zeros(n) + torch.zeros(4)\n",
        "class A:\n    def __init__(self, n=3):\n        self.n = n\n    def f(self):\n        return torch.zeros(self.n) + torch.zeros(4)\n",
        "class A:\n    def __init__(self):\n        self.n = 3\n    def set(self, n):\n        self.n = n\n"
        "    def f(self):\n        return torch.zeros(self.n) + torch.zeros(4)\n",
        "ALL = []\ndef add(x):\n    ALL.append(x)\ndef f():\n    return torch.stack(ALL)\n",
        "SIZE = 3\ndef set(n):\n    global SIZE\n    SIZE = n\ndef f():\n    return torch.zeros(SIZE) + torch.zeros(4)\n",
        "class A(torch.nn.Module):\n    def forward(self, pair):\n        a, b = pair\n        return torch.nn.functional.linear(a, torch.zeros(3, 4))"
        " + torch.nn.functional.linear(b, torch.zeros(3, 5))\n",
        "class A(torch.nn.Module):\n    def forward(self, batch):\n        return batch['x'] + 1\n",
    ],
)
def test_a_guess_is_never_blamed(tmp_path: Path, text: str) -> None:
    assert errors(checked(tmp_path, "m.py", {"m.py": f"import torch\n{text}"})) == []
