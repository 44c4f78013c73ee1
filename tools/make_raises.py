"""Writes bindings/raises/*.txt, the exception classes of refused calls, from the stores of conformance runs.

python tests/conformance/conform.py torch --per-code 8 --seed 101 --store torch.jsonl && python tools/make_raises.py torch.jsonl …
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

from tensorproof.bindings import raises

FOLDER = Path(raises.__file__).parent
SEVERAL = 3
"""How many calls that differ must be seen before their classes count as all that there are."""
NOT_DRAWN = {"lstm/state": "TypeError"}
"""Classes of layers of torch that programs showed and generated calls did not."""
Refusal = tuple[str, str, str]
"""A spelling, a code, and the message."""
Seen = dict[Refusal, Counter[str]]


def read(paths: list[str]) -> dict[str, Seen]:
    """The classes seen, by table, with the refusals that had them; a call that came again counts once."""
    found: dict[str, Seen] = defaultdict(lambda: defaultdict(Counter))
    calls: set[tuple[str, str]] = set()
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            library = raises.library_of(record["name"])
            for code, message, now, later, call in record["raised"]:
                if (code, call) in calls or code == "call/arguments":
                    continue
                calls.add((code, call))
                for where, name in ((library, now), (f"{library}_traced", later)):
                    if name.isidentifier() and name not in raises.OF_MACHINES and (where == library or library in ("tf", "keras")):
                        found[where][record["name"], code, message][name] += 1
    for (name, code, _), counted in found["torch"].items() if "torch" in found else ():
        if code in NOT_DRAWN and name.startswith("torch.nn."):
            counted[NOT_DRAWN[code]] += 1
    return found


def made(seen: Seen) -> dict[str, tuple[str, ...]]:
    """As few keys as say all: one that differs from what the coarser ones say. Of a key that was seen in few calls the first class is its own, and those of
    the coarser ones that were seen in several calls stay possible."""
    chains = {refusal: tuple(dict.fromkeys(raises.keys(*refusal))) for refusal in seen}
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    having: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for refusal, chain in chains.items():
        for at, key in enumerate(chain):
            counted[key].update(seen[refusal])
            having[key].append(chain[at + 1 :])
    found: dict[str, tuple[str, ...]] = {}
    for level in range(max(map(len, chains.values()), default=0)):
        for key in dict.fromkeys(chain[-1 - level] for chain in chains.values() if level < len(chain)):
            coarser = set(having[key])
            said = {next((found[k] for k in chain if k in found), ()) for chain in coarser}
            classes = _ordered(counted[key])
            if counted[key].total() < SEVERAL:
                sure = Counter[str]()
                for chain in coarser:
                    sure.update(next((counted[k] for k in chain if counted[k].total() >= SEVERAL), Counter()))
                classes = (*sorted(classes, key=lambda name: -counted[key][name] * 1_000_000 - sure[name]), *(n for n in _ordered(sure) if n not in classes))
            if said != {classes}:
                found[key] = classes
    return found


def _ordered(counted: Counter[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def main() -> int:
    for library, seen in read(sys.argv[1:]).items():
        lines: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for key, classes in made(seen).items():
            lines[classes].append(key)
        text = "".join(f"{'|'.join(classes)}: {' '.join(sorted(found))}\n" for classes, found in sorted(lines.items()))
        (FOLDER / f"{library}.txt").write_text(text, encoding="utf-8")
        print(f"{library}: {len(seen)} refusals that differ, {sum(map(len, lines.values()))} keys, {len(text)} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
