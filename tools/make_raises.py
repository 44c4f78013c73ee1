"""Writes bindings/raises/*.txt, the exception classes of refused calls, from the stores of conformance runs.

python tests/conformance/conform.py torch --per-code 8 --seed 101 --store torch.jsonl && python tools/make_raises.py [--over] torch.jsonl …

With `--over` the tables that there are stay, but for keys by which many of the new calls are told wrong: the calls of before need not be kept.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from tensorproof.bindings import raises

FOLDER = Path(raises.__file__).parent
SEVERAL = 3
"""How many calls that differ must be seen before their classes count as all that there are."""
MOST_ASKED = 3
"""How many circumstances are asked one after another."""
COST = 0.25
"""How many calls an answer must tell more than none does, so that it is asked for."""
MOST_HELD = 3000
"""Of how many calls a key may be, so that a circumstance is asked there: one of more is a word that many requirements share."""
TOLD_WRONG = 0.2
"""Above this share of calls that are told wrong, a key of a table that is refined gets other classes."""
NOT_DRAWN = {"lstm/state": "TypeError"}
"""Classes of layers of torch that programs showed and generated calls did not."""


@dataclass(frozen=True)
class Call:
    """One refused call: where its classes may stand, the circumstances, and the class that was seen."""

    chain: tuple[str, ...]
    about: dict[str, str]
    seen: str


def read(paths: list[str]) -> dict[str, list[Call]]:
    """The calls, by table; a call that came again counts once."""
    found: dict[str, list[Call]] = defaultdict(list)
    known: set[tuple[str, str]] = set()
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            library = raises.library_of(record["name"])
            for code, message, now, later, call, about in record["raised"]:
                if (code, call) in known or code == "call/arguments":
                    continue
                known.add((code, call))
                chain = tuple(dict.fromkeys(raises.keys(record["name"], code, message)))
                for where, name in ((library, now), (f"{library}_traced", later)):
                    if name.isidentifier() and name not in raises.OF_MACHINES and (where == library or library in ("tf", "keras")):
                        found[where].append(Call(chain, about, name))
                        if where == "torch" and code in NOT_DRAWN and record["name"].startswith("torch.nn."):
                            found[where].append(Call(chain, about, NOT_DRAWN[code]))
    return found


def made(calls: list[Call]) -> raises.Table:
    """As few keys as say all, the coarsest first: one that tells what those before it do not. At a key that leaves several classes open the circumstance is
    asked that tells them apart best."""
    having: dict[str, list[tuple[Call, tuple[str, ...]]]] = defaultdict(list)
    for call in calls:
        for at, key in enumerate(call.chain):
            having[key].append((call, call.chain[at + 1 :]))
    table = raises.Table({}, {})
    for level in range(max((len(call.chain) for call in calls), default=0)):
        for key in dict.fromkeys(call.chain[-1 - level] for call in calls if level < len(call.chain)):
            held = [call for call, _ in having[key]]
            said = [table.of(coarser, call.about) for call, coarser in having[key]]
            wrong = any(not one or one[0] != call.seen for one, call in zip(said, held))
            surer = len(held) >= SEVERAL and len({call.seen for call in held}) == 1 and any(len(one) > 1 for one in said)
            if wrong or surer:
                _grow(table, key, held, Counter(name for one in said for name in one), MOST_ASKED)
    return table


def refined(table: raises.Table, calls: list[Call]) -> raises.Table:
    """A table with other classes at the keys by which a good part of these calls are told wrong, the coarsest first."""
    having: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        for key in call.chain:
            having[key].append(call)
    for level in range(max((len(call.chain) for call in calls), default=0)):
        for key in dict.fromkeys(call.chain[-1 - level] for call in calls if level < len(call.chain)):
            held = [call for call in having[key] if not any(one in table.classes for one in call.chain[: call.chain.index(key)])]
            said = [table.of(call.chain, call.about) for call in held]
            if sum(not one or one[0] != call.seen for one, call in zip(said, held)) > TOLD_WRONG * len(held):
                for one in [one for one in table.classes if one == key or one.startswith(f"{key}?")]:
                    table.classes.pop(one)
                    table.asked.pop(one, None)
                _grow(table, key, held, Counter(name for one in said for name in one), MOST_ASKED)
    return table


def _grow(table: raises.Table, key: str, held: list[Call], possible: Counter[str], left: int) -> None:
    """The classes at a key; those that `possible` has stay so where few calls were seen."""
    counted = Counter(call.seen for call in held)
    classes = _ordered(counted)
    if len(held) < SEVERAL:
        classes += tuple(name for name in _ordered(possible) if name not in counted)
    table.classes[key] = classes
    if len(counted) == 1 or left == 0 or not SEVERAL <= len(held) <= MOST_HELD:
        return
    asked = max(sorted({name for call in held for name in call.about}), key=lambda name: _told(held, name), default="")
    if not asked or _told(held, asked) <= counted.most_common(1)[0][1]:
        return
    table.asked[key] = asked
    for longer, group in _by_answer(key, asked, held).items():
        _grow(table, longer, group, counted, left - 1)


def _by_answer(key: str, asked: str, held: list[Call]) -> dict[str, list[Call]]:
    groups: dict[str, list[Call]] = defaultdict(list)
    for call in held:
        groups[raises.answered(key, asked, call.about)].append(call)
    return groups


def _told(held: list[Call], asked: str) -> float:
    """How many calls have the class that is the likeliest for their answer; each answer costs a little."""
    groups = _by_answer("", asked, held).values()
    return sum(Counter(call.seen for call in group).most_common(1)[0][1] for group in groups) - COST * len(groups)


def _ordered(counted: Counter[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def main() -> int:
    over = "--over" in sys.argv
    for library, calls in read([path for path in sys.argv[1:] if path != "--over"]).items():
        known = raises.table(library)
        table = refined(raises.Table(dict(known.classes), dict(known.asked)), calls) if over else made(calls)
        lines: dict[str, list[str]] = defaultdict(list)
        for key, classes in table.classes.items():
            lines["|".join(classes)].append(key)
        for key, asked in table.asked.items():
            lines[f"? {asked}"].append(key)
        text = "".join(f"{head}: {' '.join(sorted(found))}\n" for head, found in sorted(lines.items()))
        (FOLDER / f"{library}.txt").write_text(text, encoding="utf-8")
        print(f"{library}: {len(calls)} refused calls, {len(table.classes)} keys, {len(text)} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
