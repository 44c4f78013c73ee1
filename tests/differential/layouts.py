"""Random projects of packages, modules and namespace folders whose files import each other in every form that Python has."""

from __future__ import annotations

import random

Files = dict[str, str]
NAMES = ("alpha", "beta", "gamma", "delta")


def project(seed: int) -> tuple[Files, str, bool]:
    """The files, the one to run, and whether it is run as a module (`python -m`)."""
    dice = random.Random(seed)
    packages, modules = _tree(dice)
    every = sorted([*packages, *modules])
    files: Files = {}
    for name in modules:
        files[name.replace(".", "/") + ".py"] = _body(dice, name, False, every)
    for name, regular in packages.items():
        if regular:
            files[name.replace(".", "/") + "/__init__.py"] = _body(dice, name, True, every)
    inner = [m for m in modules if "." in m]
    if inner and dice.random() < 0.4:
        run = dice.choice(inner)
        path = run.replace(".", "/") + ".py"
        others = [e for e in every if e != run]
        named = "" if all(packages.get(run.rsplit(".", i)[0], True) for i in (1, 2)) else f"import {run.partition('.')[0]}\n"
        files[path] = named + _main(dice, run, others, relative=True)
        return files, path, True
    files["main.py"] = _main(dice, "main", every, relative=False)
    return files, "main.py", False


def _tree(dice: random.Random) -> tuple[dict[str, bool], list[str]]:
    packages: dict[str, bool] = {}
    modules: list[str] = []
    for top in dice.sample(NAMES, dice.randint(1, 3)):
        if dice.random() < 0.3:
            modules.append(top)
            continue
        packages[top] = dice.random() < 0.75
        for leaf in dice.sample(NAMES, dice.randint(1, 3)):
            name = f"{top}.{leaf}"
            if dice.random() < 0.3:
                packages[name] = dice.random() < 0.75
                modules += [f"{name}.{last}" for last in dice.sample(NAMES, dice.randint(1, 2))]
            else:
                modules.append(name)
    return packages, modules


def _body(dice: random.Random, name: str, package: bool, every: list[str]) -> str:
    lines = [f"ME = {name!r}", f"N_{name.replace('.', '_')} = {dice.randint(1, 99)}"]
    for _ in range(dice.choice((0, 0, 1, 1, 2))):
        lines.insert(dice.randint(0, len(lines)), _import(dice, name, package, every))
    if package and dice.random() < 0.2:
        lines.append("__all__ = ['ME']")
    if dice.random() < 0.2:
        lines.append("_private = 3\nPUBLIC = 4")
    return "\n".join(lines) + "\n"


def _import(dice: random.Random, name: str, package: bool, every: list[str]) -> str:
    target = dice.choice(every)
    head, _, leaf = target.rpartition(".")
    around = name if package else name.rpartition(".")[0]
    forms = [f"import {target}", f"import {target} as t{dice.randint(0, 9)}", f"from {target} import ME as m{dice.randint(0, 9)}", f"from {target} import *"]
    if head:
        forms.append(f"from {head} import {leaf} as s{dice.randint(0, 9)}")
    if around:
        dots = dice.choice((1, 1, 2))
        base = around.split(".")
        start = ".".join(base[: len(base) - dots + 1])
        inside = [e[len(start) + 1 :] for e in every if e.startswith(start + ".")] if start else []
        if inside:
            chosen = dice.choice(inside)
            before, _, last = chosen.rpartition(".")
            forms += [f"from {'.' * dots}{chosen} import ME as r{dice.randint(0, 9)}", f"from {'.' * dots}{before} import {last} as q{dice.randint(0, 9)}"] * 2
    form = dice.choice(forms)
    if dice.random() < 0.15:
        return f"try:\n    {form}\nexcept ImportError:\n    failed = 1"
    return form


def _main(dice: random.Random, name: str, every: list[str], relative: bool) -> str:
    """A program that keeps what it sees in `seen`."""
    lines = ["seen = []"]
    for i in range(dice.randint(2, 5)):
        target = dice.choice(every)
        head, _, leaf = target.rpartition(".")
        form = dice.randint(0, 6)
        if form == 0:
            lines += [f"import {target}", f"seen.append(getattr({target}, 'ME', 'none'))"]
        elif form == 1:
            lines += [f"import {target} as t{i}", f"seen.append(t{i}.__name__)"]
        elif form == 2 and head:
            lines += [f"from {head} import {leaf} as u{i}", f"seen.append(getattr(u{i}, '__name__', u{i}))"]
        elif form == 3:
            lines += [f"from {target} import *", "seen.append(ME)" if dice.random() < 0.7 else "seen.append(PUBLIC)"]
        elif form == 4:
            lines += ["import importlib", f"v{i} = importlib.import_module({target!r})", f"seen.append(v{i}.__name__)"]
            lines += [f"seen.append([n for n in dir(v{i}) if not n.startswith('_')])"]
        elif form == 5:
            top = target.partition(".")[0]
            lines += [f"import {top}", f"seen.append(hasattr({top}, {dice.choice(NAMES)!r}))", f"seen.append({target}.__name__)"]
        else:
            lines += ["try:", f"    from {target} import {dice.choice(NAMES)} as w{i}", f"    seen.append(w{i}.__name__)"]
            lines += ["except ImportError:", "    seen.append('missing')"]
    if relative:
        around = name.rpartition(".")[0]
        inside = [e for e in every if e.startswith(around + ".") and e.count(".") == around.count(".") + 1]
        near = f"{inside[0].rpartition('.')[2]} as near\nseen.append(near.__name__)" if inside else "__name__ as near\nseen.append(near)"
        lines.insert(1, f"from . import {near}")
    return "\n".join(lines) + "\n"
