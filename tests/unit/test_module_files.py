"""Files without a driver: where their imports lead, what is entered, and what is said of what was not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorproof.app.check import Options, Program, check_source
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.source import read

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
