"""Packages that are read from their installed source: registries, lazy modules, optional imports, versions, what their own lines do not understand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorproof.app.check import check_source
from tensorproof.app.program import Options, Program
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.modules.source import read
from tensorproof.solve import limits

SITE = "env/lib/python3.11/site-packages"
METADATA = {f"{SITE}/zoo-1.4.dist-info/METADATA": "Requires-Dist: torch\n"}
LAYER = "from torch import nn\nclass G(nn.Module):\n    def __init__(self, i, o):\n        super().__init__()\n        self.fc = nn.Linear(i, o)\n"
LAYER += "    def forward(self, x):\n        return self.fc(x)\n"


def checked(folder: Path, main: str, files: dict[str, str], options: Options | None = None) -> Program:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return check_source(read(str(folder / main)), options)


def errors(program: Program) -> list[tuple[str, int]]:
    return [(d.code, d.span.line) for d in program.diagnostics if d.severity is Severity.ERROR]


def read_package(folder: Path, files: dict[str, str], main: str, seconds: float = limits.DEFAULT_SECONDS) -> Program:
    """The check of a program that uses the package `zoo`."""
    written = {f"{SITE}/zoo/{name}": text for name, text in files.items()}
    return checked(folder, "m.py", {**written, **METADATA, "m.py": f"import torch\n{main}"}, Options(environment=str(folder / "env"), time_limit=seconds))


def test_a_lazy_package_gives_the_names_of_its_parts(tmp_path: Path) -> None:
    lazy = "else:\n    import sys\n    sys.modules[__name__] = Lazy(__name__, globals()['__file__'])\n"
    files = {
        "__init__.py": f"from typing import TYPE_CHECKING\nfrom .lazy import Lazy\nif TYPE_CHECKING:\n    from .models import *\n{lazy}",
        "lazy.py": "import os\nclass Lazy:\n    def __init__(self, name, file):\n        self.names = [e for e in os.scandir(file)]\n",
        "models/__init__.py": "from typing import TYPE_CHECKING\nfrom ..lazy import Lazy\n"
        f"if TYPE_CHECKING:\n    from .net import *\n    from .bad import *\n{lazy}",
        "models/net/__init__.py": f"from typing import TYPE_CHECKING\nfrom ...lazy import Lazy\nif TYPE_CHECKING:\n    from .modeling import *\n{lazy}",
        "models/net/modeling.py": f"{LAYER}class Net(G):\n    pass\n__all__ = ['Net']\n",
        "models/bad/__init__.py": "raise RuntimeError('nobody asks for it')\n",
    }
    program = read_package(tmp_path, files, "from zoo import Net\nmodel = Net(3, 4)\nmodel(torch.zeros(2, 3))\nmodel(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 5)]
    assert not program.gaps


SLOW = "def slow(n):\n    return 0 if n < 1 else slow(n - 1) + slow(n - 1)\n"


def test_a_lazy_package_runs_only_the_parts_that_are_used(tmp_path: Path) -> None:
    lazy = "else:\n    import sys\n    sys.modules[__name__] = Lazy(__name__)\n"
    files = {
        "__init__.py": "from typing import TYPE_CHECKING\nfrom .lazy import Lazy\nif TYPE_CHECKING:\n    from .net import Net\n"
        f"    from .trainers import Trainer as Trainer\n{lazy}",
        "lazy.py": "class Lazy:\n    pass\n",
        "net.py": f"{LAYER}class Net(G):\n    pass\n",
        "trainers/__init__.py": "from .loop import Trainer\nraise RuntimeError('nobody asks for it')\n",
        "trainers/loop.py": "class Trainer:\n    pass\n",
    }
    program = read_package(tmp_path, files, "from zoo import Net, Trainer\nmodel = Net(3, 4)\nmodel(torch.zeros(2, 3))\nmodel(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 5)]
    assert not program.gaps


def test_a_part_of_a_lazy_package_is_found_by_its_own_name(tmp_path: Path) -> None:
    lazy = "else:\n    import sys\n    sys.modules[__name__] = Lazy(__name__)\n"
    files = {
        "__init__.py": f"from typing import TYPE_CHECKING\nfrom .lazy import Lazy\nif TYPE_CHECKING:\n    from .models import *\n{lazy}",
        "lazy.py": "class Lazy:\n    pass\n",
        "sizes.py": "WIDTH = 3\n",
        "models/__init__.py": "from typing import TYPE_CHECKING\nfrom ..lazy import Lazy\nif TYPE_CHECKING:\n"
        f"    from .bad import *\n    from .net import *\n{lazy}",
        "models/net.py": f"{LAYER}from .. import sizes as s\nclass Net(G):\n    def __init__(self, o):\n"
        "        super().__init__(s.WIDTH, o)\n__all__ = ['Net']\n",
        "models/bad/__init__.py": f"{SLOW}WIDTH = slow(60)\n",
    }
    program = read_package(tmp_path, files, "from zoo import Net\nmodel = Net(4)\nmodel(torch.zeros(2, 3))\nmodel(torch.zeros(2, 5))\n", 4)
    assert errors(program) == [("linear/features", 5)]
    assert not program.gaps


def test_a_name_whose_modules_take_too_long_is_unknown_and_the_rest_of_the_package_is_followed(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from .net import G\nfrom .words import Words\n",
        "net.py": LAYER,
        "words.py": f"{SLOW}class Words:\n    size = slow(60)\n",
    }
    main = "from zoo import G, Words\nn = Words.load('a').size\nmodel = G(3, 4)\nmodel(torch.zeros(2, 3))\nmodel(torch.zeros(2, 5))\n"
    program = read_package(tmp_path, files, main, 4)
    assert errors(program) == [("linear/features", 6)]
    assert [g.callee for g in program.gaps] == ["zoo.words.Words.load"]


def test_a_call_into_a_package_that_takes_too_long_is_unknown(tmp_path: Path) -> None:
    files = {"__init__.py": f"{LAYER}{SLOW}class Words:\n    def __init__(self, name):\n        self.size = slow(60)\n"}
    main = "from zoo import G, Words\nn = Words('a').size\nmodel = G(3, 4)\nprint(n)\nmodel(torch.zeros(2, 5))\n"
    program = read_package(tmp_path, files, main, 4)
    assert errors(program) == [("linear/features", 6)]
    assert program.gaps[0].callee == "Words"


def test_an_unknown_choice_on_import_is_no_path_of_the_program(tmp_path: Path) -> None:
    files = {
        "__init__.py": f"import os\nfrom . import words\nHOSTS = {{h for h in ('a', 'b') if os.environ.get(h)}} | {{'c'}}\n{LAYER}"
        "NAMES = [n for n in dir(words) if not n.startswith('_')]\ndef width():\n    return {'one': 3}[NAMES[0]]\n",
        "words.py": "one = 1\n",
    }
    program = read_package(tmp_path, files, "from zoo import G, width\nmodel = G(width(), 4)\nmodel(torch.zeros(2, 3))\nmodel(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 5)]
    assert sum(program.paths.values()) == 1


def test_a_package_runs_before_its_parts(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from .parts import has\nif has():\n    WIDTH = 3\nelse:\n    WIDTH = 4\n",
        "parts/__init__.py": f"from .. import net\ndef has():\n    return True\n{LAYER}",
        "net.py": "",
    }
    program = read_package(tmp_path, files, "from zoo.parts import G\nimport zoo\nG(zoo.WIDTH, 4)(torch.zeros(2, 3))\nG(zoo.WIDTH, 4)(torch.zeros(2, 4))\n")
    assert errors(program) == [("linear/features", 5)]
    assert not program.gaps


def test_what_a_package_does_on_import_is_no_gap_unless_it_is_used(tmp_path: Path) -> None:
    files = {
        "__init__.py": f"import os\nos.register_at_fork(after_in_child=print)\nhost = os.uname().nodename.lower()\n{LAYER}def odd(i):\n    return host(i)\n",
    }
    program = read_package(tmp_path, files, "from zoo import G\nG(3, 4)(torch.zeros(2, 3))\n")
    assert program.verdict.value == "valid"
    used = read_package(tmp_path, files, "from zoo import G, odd\nG(3, 4)(torch.zeros(2, odd(3)))\n")
    assert used.verdict.value == "unknown"


def test_an_installed_package_lacks_what_is_not_beside_it(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from importlib.metadata import version\nfrom importlib.util import find_spec\nfrom packaging.version import parse\n"
        "try:\n    from fused_norm import Norm\nexcept ImportError:\n    Norm = None\n"
        "HAS = find_spec('torch') is not None and find_spec('fused_norm') is None and parse(version('zoo')) >= parse('1.3')\n"
        "if HAS:\n"
        + "".join(f"    {line}\n" for line in LAYER.splitlines())
        + "    class Net(G):\n        def forward(self, x):\n            return self.fc(x if Norm is None else Norm(x))\n",
    }
    program = read_package(tmp_path, files, "from zoo import Net\nmodel = Net(3, 4)\nmodel(torch.zeros(2, 3))\nmodel(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 5)]
    assert not program.gaps


def test_a_package_that_runs_has_its_own_parts(tmp_path: Path) -> None:
    guarded = "try:\n    from zoo.parts import G\nexcept ImportError:\n    raise\n"
    files = {"__init__.py": guarded, "parts/__init__.py": LAYER}
    program = read_package(tmp_path, files, "from zoo import G\nG(3, 4)(torch.zeros(2, 3))\n")
    assert errors(program) == []


def test_a_mixin_of_the_hub_and_decorators_of_compilers_keep_the_model(tmp_path: Path) -> None:
    files = {
        "__init__.py": f"import torch\nfrom huggingface_hub import PyTorchModelHubMixin, hf_hub_download\n{LAYER}"
        "def add_docstring(text):\n    def add(fn):\n        fn.__doc__ = '\\n'.join(open(text).read().split(fn.__name__))\n        return fn\n    return add\n"
        "class Hub(PyTorchModelHubMixin, library_name='zoo'):\n    pass\n"
        "class Net(nn.Module, Hub):\n    def __init__(self):\n        super().__init__()\n        self.fc = G(3, 4)\n"
        "    @torch.compiler.disable\n    @add_docstring('net')\n    def forward(self, x):\n"
        "        torch._assert(x.shape[0] == 2, 'two rows')\n        return self.fc(x)\n",
    }
    program = read_package(tmp_path, files, "from zoo import Net\nmodel = Net()\nmodel(torch.zeros(2, 3))\nmodel(torch.zeros(3, 3))\n")
    assert errors(program) == [("python/assert", 5)]
    assert not program.gaps


def test_a_package_finds_its_builders_in_a_registry_filled_through_sys_modules(tmp_path: Path) -> None:
    site = "env/lib/python3.11/site-packages"
    register = "import sys\n_BUILDERS = {}\ndef register(fn):\n    module = sys.modules[fn.__module__]\n    if hasattr(module, '__all__'):\n"
    register += "        module.__all__.append(fn.__name__)\n    else:\n        module.__all__ = [fn.__name__]\n"
    register += "    _BUILDERS[fn.__name__] = fn\n    return fn\n"
    register += "def build(name, **given):\n    if name not in _BUILDERS:\n        raise RuntimeError(name)\n    return _BUILDERS[name](**given)\n"
    files = {
        f"{site}/zoo/__init__.py": "from .nets import *\nfrom .registry import build\n",
        f"{site}/zoo/nets.py": f"from .registry import register\n__all__ = ['G']\n{LAYER}@register\ndef small(i=3):\n    return G(i, 8)\n",
        f"{site}/zoo/registry.py": register,
        f"{site}/zoo-1.0.dist-info/METADATA": "Requires-Dist: torch\n",
        "m.py": "import torch\nimport zoo\nmodel = zoo.build('small', i=4)\nmodel(torch.zeros(2, 4))\nmodel(torch.zeros(2, 5))\n",
    }
    program = checked(tmp_path, "m.py", files, Options(environment=str(tmp_path / "env")))
    assert errors(program) == [("linear/features", 5)]
    assert not program.gaps


def test_a_package_asks_for_a_word_that_no_module_registers(tmp_path: Path) -> None:
    site = "env/lib/python3.11/site-packages"
    build = "_BUILDERS = {}\ndef register(fn):\n    _BUILDERS[fn.__name__] = fn\n    return fn\n"
    build += "def build(name, **given):\n    width = given['width'] if 'width' in given else 4\n    return _BUILDERS[name](width)\n"
    build = build.replace("    width =", "    if name not in _BUILDERS:\n        raise RuntimeError(name)\n    width =")
    other = "from .registry import register\n__all__ = ['large']\nimport nowhere_to_be_found\nnowhere_to_be_found.begin()\n@register\n"
    files = {
        f"{site}/zoo/__init__.py": "from .nets import *\nfrom .others import *\nfrom .broken import *\nfrom .registry import build\n",
        f"{site}/zoo/nets.py": f"from .registry import register\n__all__ = ['G']\n{LAYER}@register\ndef small(i):\n    return G(i, 8)\n",
        f"{site}/zoo/others.py": f"{other}def large(i):\n    return {{'width': i}}['width']\n",
        f"{site}/zoo/broken.py": "__all__ = ['old']\nprint 'for another Python'\n",
        f"{site}/zoo/registry.py": build,
        f"{site}/zoo-1.0.dist-info/METADATA": "Requires-Dist: torch\n",
        "m.py": "import torch\nimport zoo\nmodel = zoo.build('small')\nmodel(torch.zeros(2, 4))\nmodel(torch.zeros(2, 5))\n",
    }
    program = checked(tmp_path, "m.py", files, Options(environment=str(tmp_path / "env")))
    assert errors(program) == [("linear/features", 5)]
    assert not program.gaps


@pytest.mark.parametrize("found", ["_BUILDERS[name]", "_BUILDERS.get(name)"])
def test_a_registry_runs_no_module_that_has_the_key_as_a_part_of_a_word(tmp_path: Path, found: str) -> None:
    build = "_BUILDERS = {}\ndef register(fn):\n    if fn.__name__ in _BUILDERS:\n        raise RuntimeError(fn.__name__)\n"
    build += "    _BUILDERS[fn.__name__] = fn\n    return fn\ndef build(name, i):\n"
    build += f"    return {found}(i)\n"
    files = {
        "__init__.py": "from .others import *\nfrom .nets import *\nfrom .registry import build\n",
        "nets.py": f"from .registry import register\n__all__ = ['G']\n{LAYER}@register\ndef small(i):\n    return G(i, 8)\n",
        "others.py": f"{SLOW}__all__ = ['WIDTHS']\nWIDTHS = dict(very_small=slow(60), smaller=4)\n",
        "registry.py": build,
    }
    program = read_package(tmp_path, files, "import zoo\nmodel = zoo.build('small', 4)\nmodel(torch.zeros(2, 4))\nmodel(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 5)]
    assert not program.gaps


def test_a_dict_that_nothing_fills_runs_no_modules(tmp_path: Path) -> None:
    acts = "from torch import nn\n_FAST = {'swish': nn.SiLU}\n_PLAIN = {'relu': nn.ReLU, 'swish': nn.SiLU}\n"
    acts += "def act(name):\n    if name in _FAST:\n        return _FAST[name]\n    return _PLAIN[name]\n"
    files = {
        "__init__.py": "from .old import *\nfrom .net import *\n",
        "acts.py": acts,
        "old.py": f"__all__ = ['WIDTH']\n{SLOW}ACTS = ['relu']\nWIDTH = slow(60)\n",
        "net.py": "from .acts import act\n" + LAYER.replace("        self.fc =", "        self.act = act('relu')()\n        self.fc ="),
    }
    main = "from zoo import G\nmodel = G(3, 4)\nmodel(torch.zeros(2, 3))\nmodel(torch.zeros(2, 5))\n"
    program = read_package(tmp_path, files, main, 4)
    assert errors(program) == [("linear/features", 5)]
    assert not program.gaps


def test_a_module_that_writes_in_the_dict_of_another_runs_when_a_key_of_it_is_asked_for(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from .more import *\nfrom .table import build\n",
        "table.py": f"{LAYER}_TABLE = {{}}\ndef build(name):\n    if name in _TABLE:\n        return _TABLE[name]()\n    raise KeyError(name)\n",
        "more.py": "from .table import _TABLE, G\n_TABLE['small'] = lambda: G(3, 4)\n",
    }
    program = read_package(tmp_path, files, "import zoo\nmodel = zoo.build('small')\nmodel(torch.zeros(2, 3))\nmodel(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 5)]


def test_an_error_that_is_found_without_a_package_is_found_with_it(tmp_path: Path) -> None:
    world = "import os\ndef load(name):\n"
    world += "".join(
        f"    if os.path.isdir(name + '{i}'):\n        if os.path.isfile(name):\n            return {i}\n        raise OSError(name)\n" for i in range(12)
    )
    files = {"__init__.py": f"{LAYER}{world}    raise ValueError(name)\n"}
    main = "from zoo import load\nwords = load('small')\nmodel = torch.nn.Linear(3, 4)\nmodel(torch.zeros(2, 3))\nmodel(torch.zeros(2, 5))\n"
    assert errors(read_package(tmp_path, files, main)) == [("linear/features", 6)]


def test_a_compiled_module_of_a_package_is_unknown(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from ._fast import version\n",
        "net.py": f"from zoo import _fast\n{LAYER}def size():\n    return _fast.size()\n",
        "_fast.abi3.so": "",
    }
    program = read_package(tmp_path, files, "from zoo.net import G, size\nn = size()\nG(3, 4)(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 4)]
    assert "_fast.size" in [g.callee for g in program.gaps]


def test_a_call_whose_replays_cost_too_much_is_left_before_the_program_is(tmp_path: Path) -> None:
    hub = f"import os\n{SLOW}def find(name):\n    slow(10)\n"
    hub += "".join(
        f"    if os.path.isdir(name + '{i}'):\n        if os.path.isfile(name):\n            return {i}\n        raise OSError(name)\n" for i in range(3)
    )
    main = "from zoo import find\nprint(find('small'))\nmodel = torch.nn.Linear(3, 4)\nmodel(torch.zeros(2, 5))\n"
    program = read_package(tmp_path, {"__init__.py": f"{hub}    return None\n"}, main, 4)
    assert errors(program) == [("linear/features", 5)]
    assert [g.callee for g in program.gaps] == ["find"]


def test_a_refusal_under_an_unknown_condition_passes_a_finally_and_makes_no_path(tmp_path: Path) -> None:
    around = "def around(run):\n    def inner(*args, **kwargs):\n        try:\n            return run(*args, **kwargs)\n"
    around += "        finally:\n            print('left')\n"
    body = "@around\ndef run(ids, model):\n    if (ids is None) ^ (model is None):\n        raise ValueError('both or none')\n    return model\n"
    files = {"__init__.py": f"{LAYER}{around}    return inner\n{body}"}
    program = read_package(tmp_path, files, "from unseen import ids\nfrom zoo import G, run\nrun(ids(), G(3, 4))(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 4)]
    assert sum(program.paths.values()) == 1


def test_what_a_package_does_after_an_error_in_it_is_not_followed(tmp_path: Path) -> None:
    forward = "class Net(G):\n    def forward(self, x):\n        x = self.fc(x)\n"
    forward += "        while x.sum() > 1:\n            x = x[0]\n        return x\n"
    files = {"__init__.py": f"{LAYER}{forward}"}
    program = read_package(tmp_path, files, "from zoo import Net\nmodel = Net(3, 4)\nmodel(torch.zeros(2, 5))\ntorch.zeros(2) + torch.zeros(3)\n")
    assert errors(program) == [("linear/features", 4), ("add/broadcast", 5)]
    assert not program.gaps
    assert sum(program.paths.values()) == 1


def test_a_validator_of_types_knows_a_typed_dict(tmp_path: Path) -> None:
    files = {
        "__init__.py": f"{LAYER}from dataclasses import dataclass, fields\nfrom typing import TypedDict, get_args, get_origin\n"
        "class Rope(TypedDict, total=False):\n    base: float\n@dataclass\nclass Config:\n    width: int = 3\n    rope: Rope | dict | None = None\n"
        "    def __post_init__(self):\n        for f in fields(self):\n            check(getattr(self, f.name), f.type)\n"
        "def check(value, wanted):\n    if get_origin(wanted) is None:\n        if not isinstance(value, wanted):\n            raise TypeError(wanted)\n"
        "        return\n    for one in get_args(wanted):\n        try:\n            check(value, one)\n            return\n"
        "        except TypeError:\n            pass\n"
        "    raise TypeError(wanted)\n"
    }
    program = read_package(tmp_path, files, "from zoo import Config, G\nG(Config().width, 4)(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 3)]
    assert not program.gaps


def test_what_a_module_of_a_package_cannot_decide_on_import_costs_only_that(tmp_path: Path) -> None:
    book = "import os\ndef in_book():\n    try:\n        if os.environ['PLACE'] < 'b':\n            raise ImportError('console')\n"
    book += "        return os.path.isdir('x')\n    except ImportError:\n        return False\n"
    shown = "WIDTH = 3\nif in_book():\n    SHOWN = 'book'\nelse:\n    SHOWN = 'line'\n"
    files = {"__init__.py": f"{LAYER}{book}{shown}"}
    program = read_package(tmp_path, files, "from zoo import G, SHOWN, WIDTH\nprint(SHOWN)\nG(WIDTH, 4)(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 4)]
    assert sum(program.paths.values()) == 1


def test_a_module_that_is_not_installed_is_not_loaded(tmp_path: Path) -> None:
    asked = "import sys\ndef width():\n    if 'unseen_kernel' in sys.modules or sys.modules.get('unseen_kernel') is not None:\n        return 5\n"
    asked += "    try:\n        return sys.modules['unseen_kernel'].width\n    except KeyError:\n        return 3\n"
    program = read_package(tmp_path, {"__init__.py": f"{LAYER}{asked}"}, "from zoo import G, width\nG(width(), 4)(torch.zeros(2, 5))\n")
    assert errors(program) == [("linear/features", 3)]
    assert not program.gaps
