"""Writes bindings/raises/*.txt, the exception classes of refused calls, from the stores of conformance runs.

    python tests/conformance/conform.py torch --store torch.jsonl && python tools/make_raises.py torch.jsonl …
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "src" / "tensorproof" / "bindings" / "raises"
NOT_DRAWN = {"multi_head_attention/heads": ("AssertionError",), "lstm/state": ("IndexError", "TypeError")}
"""Classes of torch that programs showed and generated calls did not."""
Seen = dict[tuple[str, str], Counter[str]]


def read(paths: list[str]) -> dict[str, Seen]:
    """The classes seen, by table, spelling and code."""
    found: dict[str, Seen] = defaultdict(lambda: defaultdict(Counter))
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            library = record["name"].partition(".")[0]
            for code, now, later, *_ in record["raised"]:
                for where, name in ((library, now), (f"{library}_traced", later)):
                    if name.isidentifier() and (where == library or library in ("tf", "keras")):
                        found[where][record["name"], code][name] += 1
    for (name, code), counted in found["torch"].items() if "torch" in found else ():
        counted.update(NOT_DRAWN.get(code, ()) if name.startswith("torch.nn.") else ())
    return found


def keys(seen: Seen) -> dict[str, tuple[str, ...]]:
    """As few keys as say all: by the last word of the code, by the code where it differs from its word, by the spelling where it differs from its code."""
    by_word: dict[str, Counter[str]] = defaultdict(Counter)
    by_code: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for (_, code), counted in seen.items():
        by_word[code.rpartition("/")[2]].update(counted)
        by_code[code][_ordered(counted)] += 1
    made = {word: _ordered(counted) for word, counted in by_word.items()}
    for code, sets in by_code.items():
        usual = sets.most_common(1)[0][0]
        if made[code.rpartition("/")[2]] != usual:
            made[code] = usual
        made.update({f"{n}:{code}": _ordered(c) for (n, other), c in seen.items() if other == code and _ordered(c) != usual})
    return made


def _ordered(counted: Counter[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def main() -> int:
    for library, seen in read(sys.argv[1:]).items():
        lines: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for key, classes in keys(seen).items():
            lines[classes].append(key)
        text = "".join(f"{'|'.join(classes)}: {' '.join(sorted(found))}\n" for classes, found in sorted(lines.items()))
        (FOLDER / f"{library}.txt").write_text(text, encoding="utf-8")
        print(f"{library}: {len(seen)} requirements of spellings, {sum(map(len, lines.values()))} keys, {len(text)} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
