"""Models of published packages, understood from their sources: how many are proved, unknown or a false alarm, and whether a wrong input is found.

    python benchmarks/model_zoos.py ENVIRONMENT [--zoo torchvision] [--only WORD] [--every 3] [--gaps]

ENVIRONMENT holds lib/python3*/site-packages with torchvision, timm, vit_pytorch … (`pip download --no-deps`, unpacked): the packages are read, and not run.
A model is right by being published. The wrong program gives it one channel more than it takes.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from pathlib import Path

from tensorproof.app.check import check_source
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Severity
from tensorproof.frontends.python.modules.environment import site_packages
from tensorproof.frontends.python.modules.source import parse

_TIMM = re.compile(r"^@register_model\ndef (\w+)\(", re.MULTILINE)
_INPUTS = {"video": "1, C, 16, 112, 112", "detection": "C, 320, 320"}
_PER_FAMILY = 3


def torchvision(site: Path) -> dict[str, str]:
    """A program for each builder that is not quantised, with C in place of the number of channels."""
    found: dict[str, str] = {}
    for path in sorted((site / "torchvision" / "models").rglob("*.py")):
        folder = path.parent.name
        if folder == "quantization":
            continue
        for name in re.findall(r"^@register_model\([^\n]*\)\n(?:@[^\n]*\n(?:\s[^\n]*\n|\)\n)*)*def (\w+)\(", path.read_text(), re.MULTILINE):
            where = "torchvision.models" + ("" if folder == "models" else f".{folder}")
            if folder == "optical_flow":
                call = "model(torch.zeros(1, C, 128, 128), torch.zeros(1, C, 128, 128))"
            elif folder == "detection":
                call = "model([torch.zeros(C, 320, 320)])"
            else:
                size = 299 if name == "inception_v3" else 224
                call = f"model(torch.zeros({_INPUTS.get(folder, f'2, C, {size}, {size}')}))"
            found[name] = f"import torch\nfrom {where} import {name}\nmodel = {name}()\nmodel.eval()\nout = {call}\nprint(out)\n"
    return found


def timm(site: Path) -> dict[str, str]:
    """A program for three models of each family."""
    found: dict[str, str] = {}
    for path in sorted((site / "timm" / "models").glob("*.py")):
        names = _TIMM.findall(path.read_text())
        for name in names[:: max(1, len(names) // _PER_FAMILY)][:_PER_FAMILY]:
            size = next((int(n) for n in re.findall(r"_(\d{3})\b", name)[-1:]), 224)
            made = f"import timm\nimport torch\nmodel = timm.create_model({name!r})\nmodel.eval()\n"
            found[name] = f"{made}out = model(torch.zeros(2, C, {size}, {size}))\nprint(out)\n"
    return found


def vit_pytorch(site: Path) -> dict[str, str]:
    """A program for each module whose class is constructed like ViT."""
    found: dict[str, str] = {}
    given = "image_size=256, patch_size=32, num_classes=10, dim=64, depth=2, heads=4, mlp_dim=128"
    for path in sorted((site / "vit_pytorch").glob("*.py")):
        text = path.read_text()
        for name, parameters in re.findall(r"^class (\w+)\(Module\):\s+def __init__\(\s*self,([^)]*)\)", text.replace("nn.Module", "Module"), re.MULTILINE):
            taken = {p.partition("=")[0].partition(":")[0].strip(): "=" in p for p in parameters.split(",") if p.strip() not in ("", "*")}
            fits = {word.partition("=")[0] for word in given.split(", ")}
            if fits <= taken.keys() and all(default for p, default in taken.items() if p not in fits) and "isinstance(depth, tuple)" not in text:
                where = f"vit_pytorch.{path.stem}"
                found[f"{path.stem}.{name}"] = (
                    f"import torch\nfrom {where} import {name}\nmodel = {name}({given})\nmodel.eval()\nout = model(torch.zeros(2, C, 256, 256))\nprint(out)\n"
                )
    return found


ZOOS = {"torchvision": torchvision, "timm": timm, "vit_pytorch": vit_pytorch}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment")
    parser.add_argument("--zoo", choices=ZOOS)
    parser.add_argument("--only", default="", help="models whose name holds this word")
    parser.add_argument("--every", type=int, default=1, help="one model of so many")
    parser.add_argument("--gaps", action="store_true", help="what was not understood, by the number of models that it touches")
    given = parser.parse_args()
    site = Path(site_packages(given.environment)[0])
    alarms = 0
    print("| zoo | models | proved | unknown | false alarms | wrong channels found | called valid | seconds |\n|---|---|---|---|---|---|---|---|")
    for zoo, programs in ZOOS.items():
        if given.zoo not in (None, zoo):
            continue
        chosen = {name: text for name, text in list(programs(site).items())[:: given.every] if given.only in name}
        counts: Counter[tuple[bool, str]] = Counter()
        gaps: Counter[str] = Counter()
        start = time.perf_counter()
        for name, text in chosen.items():
            for wrong in (False, True):
                program = check_source(parse("program.py", text.replace("C,", "4," if wrong else "3,")), Options(environment=given.environment))
                errors = [d for d in program.diagnostics if d.severity is Severity.ERROR]
                answer = "error" if errors else program.verdict.value
                counts[wrong, answer] += 1
                if not wrong:
                    gaps.update({f"{g.callee} {g.reason}" for g in program.gaps})
                if answer != ("error" if wrong else "valid"):
                    said = "; ".join(f"{d.code} {d.message}" for d in errors) or "; ".join(f"{g.callee} {g.reason}" for g in program.gaps[:2])
                    print(f"{zoo} {name}{' with a wrong input' if wrong else ''}: {answer}: {said[:200]}", file=sys.stderr)
        alarms += counts[False, "error"]
        proved, unknown, false = (counts[False, key] for key in ("valid", "unknown", "error"))
        found, missed = (counts[True, key] for key in ("error", "valid"))
        print(f"| {zoo} | {len(chosen)} | {proved} | {unknown} | {false} | {found} | {missed} | {time.perf_counter() - start:.0f} |", flush=True)
        if given.gaps:
            print("\n".join(f"    {n} {gap}" for gap, n in gaps.most_common(20)))
    return int(alarms > 0)


if __name__ == "__main__":
    sys.exit(main())
