"""Which exception a refused call raises: calls with a fresh seed that break one requirement of a spelling each, what we say and what the real library raised.

    python benchmarks/exceptions.py [torch tf keras numpy] [--seed N] [--store FOLDER] [--list]

A pair is a spelling and a requirement that it has; TensorFlow and Keras have pairs of eager calls and of calls while a graph is traced. A pair agrees when each
of its calls raised the class that we say: of several that we hold for possible, the first (the checker leaves open which of them it is).
Calls for which this machine has no kernel tell nothing.
Exits with 1 when less than 99 % of the pairs agree. With `--store` the real calls are kept, and a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.conformance.conform import Store, conform_all, spellings

from tensorproof.bindings.raises import OF_MACHINES, classes

FRAMEWORKS = ("torch", "tf", "keras", "numpy")
TRACED = ("tf", "keras")
TARGET = 0.99
COUNT, PER_CODE, SECONDS = 3, 2, 120
Pair = tuple[str, str, bool]
"""A spelling, the code of a requirement, and whether the call is traced."""
ANSWERS = ("one said", "first of several", "another of several", "none said")


def answer(said: tuple[str, ...], raised: str) -> str:
    """What our classes say of the one that was raised."""
    if said == (raised,):
        return "one said"
    return "first of several" if said[0] == raised else "another of several" if raised in said else "none said"


def answers(records: list[dict[str, Any]]) -> Iterator[tuple[Pair, str, str]]:
    """Each call of the records with its pair, the answer, and words for a list."""
    for record in records:
        name = record["name"]
        for code, message, now, later, call, about in record.get("raised", ()):
            for raised, traced in ((now, False), (later, True)) if name.partition(".")[0] in TRACED else ((now, False),):
                if raised.isidentifier() and raised not in OF_MACHINES:
                    said = classes(name, code, message, traced, about)
                    yield (name, code, traced), answer(said, raised), f"{name}: {code}: {'|'.join(said)}, the library {raised}{' traced' * traced}: {call}"


def report(framework: str, records: list[dict[str, Any]], details: bool) -> bool:
    """A line for one library, eager or traced; whether it reaches the target."""
    pairs: dict[Pair, set[str]] = defaultdict(set)
    calls: dict[bool, Counter[str]] = defaultdict(Counter)
    for pair, word, words in answers(records):
        pairs[pair].add(word)
        calls[pair[2]][word] += 1
        if details and word not in ANSWERS[:2]:
            print(f"   {words}")
    reached = True
    for traced, counted in calls.items():
        mine = [words for pair, words in pairs.items() if pair[2] == traced]
        agree, certain = sum(words <= {*ANSWERS[:2]} for words in mine), sum(words == {ANSWERS[0]} for words in mine)
        reached &= agree >= TARGET * len(mine)
        shown = " · ".join(f"{word} {counted[word] / counted.total():.2%}" for word in ANSWERS)
        print(f"{framework + ' traced' * traced:<13} {len(mine):>6} pairs  agree {agree / len(mine):.2%}  by a certain class {certain / len(mine):.2%}"
              f"  | {counted.total()} calls: {shown}", flush=True)  # fmt: skip
    return reached


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("frameworks", nargs="*", default=FRAMEWORKS, metavar="framework")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", type=Path, help="a folder for the records of the real calls")
    parser.add_argument("--list", action="store_true", help="print the calls that raise another class than the first that we say")
    options = parser.parse_args()
    reached = True
    for framework in options.frameworks:
        store = None
        if options.store:
            options.store.mkdir(parents=True, exist_ok=True)
            store = Store(options.store / f"{framework}.{options.seed}.jsonl", COUNT, options.seed, PER_CODE)
        records = conform_all(spellings(framework, []), COUNT, options.seed, SECONDS, store, PER_CODE)
        reached &= report(framework, records, options.list)
    return int(not reached)


if __name__ == "__main__":
    sys.exit(main())
