"""A misspelt argument is found, and valid calls give no alarm.

    python benchmarks/misspelt_arguments.py [--names 300] [--calls 1500] [--seed 0] [--list] [--torchvision FOLDER]

Misspelt: names drawn at random from the tables of signatures, as many of each library, but those that take any name (`**`) or no name at all. Each is called
with values that are not known and with one argument misspelt; it is found when the check reports `call/arguments` for that call.
Valid: the examples in the docstrings of the same libraries, taken as they are, those left out that end in a Traceback or have `...`
for a value; an alarm is a `call/arguments` there.
Also printed: how many public callable names have a signature. torchvision is not installed beside the tests: `--torchvision` names a folder with it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import importlib
import inspect
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings
from keyword import iskeyword
from pathlib import Path
from typing import Any

from tensorproof.bindings.names import public
from tensorproof.libraries import signatures

LIBRARIES = ("torch", "torchvision", "tensorflow", "keras", "numpy", "python")
MODULES = {"tf": "tensorflow"}
HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport numpy as np\nimport tensorflow as tf\nimport keras\n"


def rows(library: str) -> list[str]:
    text = (Path(signatures.__file__).parent / f"{library}.txt").read_text(encoding="utf-8")
    return [line.split(" ", 1)[0] for line in text.splitlines()[1:]]


def spelled_wrong(word: str, taken: set[str]) -> str | None:
    """The word without one letter from its middle or, where that is a name, with one letter twice."""
    at = len(word) // 2
    tries = (word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:])
    return next((one for one in tries if one.isidentifier() and not iskeyword(one) and one not in taken), None)


def wrong_call(name: str, draw: random.Random) -> str | None:
    """A program with one misspelt argument; None where every name is taken, or the name is no function or class of a module."""
    forms = signatures.forms(name)
    more = [form.more_named for form in forms]
    named = sorted(set().union(*(form.named for form in forms), *(one for one in more if isinstance(one, frozenset))))
    module = name.rpartition(".")[0]
    if True in more or not named or any(part[:1].isupper() for part in module.split(".")) or not is_module(module):
        return None
    chosen = draw.choice(named)
    wrong = spelled_wrong(chosen, set(named))
    if wrong is None:
        return None
    placed = [word for word in forms[0].placed if word in forms[0].needed and word != chosen]
    keys = [word for word in forms[0].needed if word not in forms[0].placed and word != chosen]
    arguments = ", ".join([*("v" for _ in placed), *(f"{key}=v" for key in keys), f"{wrong}=v"])
    root, _, rest = name.partition(".")
    imported = "import tensorflow as tf" if root == "tf" else f"import {module}"
    return f"{imported}\nimport json\nv = json.load(open('values.json'))\n{root}.{rest}({arguments})\n"


def is_module(module: str) -> bool:
    root = module.partition(".")[0]
    if root not in sys.stdlib_module_names:
        return True
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        return inspect.ismodule(importlib.import_module(module))
    return False


def reports(programs: dict[str, str], folder: str) -> dict[str, list[dict[str, Any]]]:
    """By program: the findings of `tensorproof check`."""
    files = {}
    for at, (key, text) in enumerate(programs.items()):
        path = os.path.join(folder, f"p{at}.py")
        Path(path).write_text(text, encoding="utf-8")
        files[path] = key
    found: dict[str, list[dict[str, Any]]] = {key: [] for key in programs}
    paths = list(files)
    for start in range(0, len(paths), 100):
        command = [sys.executable, "-m", "tensorproof", "check", "--output-format", "json", *paths[start : start + 100]]
        done = subprocess.run(command, capture_output=True, text=True)
        for finding in json.loads(done.stdout)["diagnostics"]:
            found[files[finding["path"]]].append(finding)
    return found


def examples(library: str, draw: random.Random) -> list[tuple[str, str, int]]:
    """Programs from docstrings: name, text, number of calls."""
    found = []
    names = rows(library)
    draw.shuffle(names)
    for name in names:
        value = resolved(name)
        text = inspect.getdoc(value) if value is not None else None
        if not text or ">>>" not in text:
            continue
        try:
            parts = [part for part in doctest.DocTestParser().get_examples(text) if part.exc_msg is None]
            program = HEAD + "".join(part.source for part in parts)
            made = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Call)]
            calls = 0 if any(is_placeholder(value) for call in made for value in (*call.args, *(k.value for k in call.keywords))) else len(made)
        except (ValueError, SyntaxError):
            continue
        if calls:
            found.append((name, program, calls))
    return found


def is_placeholder(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is ...


def resolved(name: str) -> Any:
    root, *path = name.split(".")
    try:
        value = importlib.import_module(MODULES.get(root, root))
        for word in path:
            value = getattr(value, word)
    except Exception:  # an optional part that is not installed
        return None
    return value


def misspelt(count: int, draw: random.Random, listed: bool) -> bool:
    programs: dict[str, str] = {}
    for library in LIBRARIES:
        names, wanted = rows(library), len(programs) + count // len(LIBRARIES)
        draw.shuffle(names)
        for name in names:
            if len(programs) == wanted:
                break
            program = wrong_call(name, draw)
            if program is not None:
                programs[name] = program
    with tempfile.TemporaryDirectory() as folder:
        found = reports(programs, folder)
    seen = [name for name, findings in found.items() if any(f["code"] == "call/arguments" for f in findings)]
    if listed:
        print("\n".join(f"not found: {programs[name].splitlines()[-1]}  {[f['code'] for f in found[name]]}" for name in programs if name not in seen))
    print(f"| misspelt argument found | ≥ 98 % of {len(programs)} | {len(seen)} ({len(seen) / len(programs):.1%}) |")
    return len(seen) >= 0.98 * len(programs)


def valid(count: int, draw: random.Random, listed: bool) -> bool:
    programs: dict[str, str] = {}
    total = 0
    for library in (one for one in LIBRARIES if one != "torchvision"):
        here = 0
        for name, text, calls in examples(library, draw):
            if here >= count // 5:
                break
            programs[name], here = text, here + calls
        total += here
    with tempfile.TemporaryDirectory() as folder:
        found = reports(programs, folder)
    alarms = [(name, f) for name, findings in found.items() for f in findings if f["code"] == "call/arguments"]
    if listed:
        print("\n".join(f"alarm: {name}: {f['message']}" for name, f in alarms))
    print(f"| alarms on {total} valid calls of {len(programs)} docstrings | 0 | {len(alarms)} |")
    return not alarms


def covered(torchvision: str | None) -> bool:
    """Public callable names with a line in the tables. Those of torchvision and the standard library are found as `tools/signatures.py` finds them."""
    good = True
    for library in LIBRARIES:
        if library == "torchvision" and torchvision is None:
            continue
        names = listed(library, torchvision) if library in ("torchvision", "python") else [n for n in public(library) if not n.startswith("tf.keras.")]
        names = [name for name in names if library in ("torchvision", "python") or callable(resolved(name))]
        held = sum(bool(signatures.forms(name)) for name in names)
        print(f"| public callable names of {library} with a signature | ≥ 98 % of {len(names)} | {held} ({held / len(names):.1%}) |")
        good &= held >= 0.98 * len(names)
    return good


def listed(library: str, folder: str | None) -> list[str]:
    """The public callable names of a library, found in a process of its own."""
    tool = Path(__file__).resolve().parent.parent / "tools" / "signatures.py"
    done = subprocess.run([sys.executable, str(tool), library, "--names", *(["--path", folder] if folder else [])], capture_output=True, text=True, check=True)
    return done.stdout.split()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--names", type=int, default=300)
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="print what was missed, and the alarms")
    parser.add_argument("--torchvision", metavar="FOLDER", help="a folder that holds torchvision, to count its names")
    given = parser.parse_args()
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    warnings.simplefilter("ignore")
    print("| what | asked | measured |\n|---|---|---|")
    good = misspelt(given.names, random.Random(given.seed), given.list)
    good &= valid(given.calls, random.Random(given.seed), given.list)
    good &= covered(given.torchvision)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
