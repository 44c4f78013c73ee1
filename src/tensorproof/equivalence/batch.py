"""Many traced functions compiled as one: the cost of a compilation is shared. Where the whole fails it is halved until the guilty ones are alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from tensorproof.equivalence.arrays import Raised
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.rule import Pair
from tensorproof.equivalence.running import Broken, Runner, raised

Entry = tuple[Call, Pair]
Say = Callable[[Sequence[int]], None]


def run_batch(entries: Sequence[Entry], runner: Runner, say: Say, alone: bool = False) -> list[Any]:
    """The right sides of all entries, which have one compiler. `say` hears which entries are about to run."""
    made: list[Any] = [None] * len(entries)
    waiting = [[i] for i in range(len(entries))] if alone else [list(range(len(entries)))] if entries else []
    while waiting:
        places = waiting.pop()
        say(places)
        results, blamed = _together([entries[i] for i in places], runner)
        if isinstance(results, Raised) and len(places) > 1:
            waiting += _parted(places, blamed, entries)
            continue
        for i, result in zip(places, [results] if isinstance(results, Raised) else results):
            made[i] = result
    return made


def _parted(places: list[int], blamed: set[int], entries: Sequence[Entry]) -> list[list[int]]:
    """All calls of the names that the message blames apart from the rest, then those that it blames alone; halves where it blames none."""
    if not blamed or len(blamed) == len(places):
        middle = len(places) // 2
        return [places[middle:], places[:middle]]
    names = {entries[places[at]][0].api.name for at in blamed}
    others = [place for place in places if entries[place][0].api.name not in names]
    if others:
        return [[place for place in places if entries[place][0].api.name in names], others]
    guilty = [[place] for at, place in enumerate(places) if at in blamed]
    return [*reversed(guilty), [place for at, place in enumerate(places) if at not in blamed]]


def _together(entries: Sequence[Entry], runner: Runner) -> tuple[list[Any] | Raised, set[int]]:
    """One function over the inputs of all entries, compiled and called; what it raises where it does, and the entries that the message blames."""
    functions: list[Any] = []
    arguments: list[tuple[Any, ...]] = []
    for call, pair in entries:
        assert pair.traced is not None
        names = runner.prepared(pair.setup, {**call.inputs, **pair.inputs})
        if isinstance(names, Raised):
            return names, {len(functions)}
        text = f"lambda {', '.join(pair.traced.parameters)}: {pair.traced.body}"
        functions.append(eval(compile(text, f"<entry {len(functions)}>", "eval"), names))
        arguments.append(tuple(names[name] for name in pair.traced.parameters))
    assert entries[0][1].traced is not None
    began = perf_counter()
    try:
        names = {**runner.modules, "_all": runner.dialect.together(functions)}
        exec(entries[0][1].traced.before, names)
        function = eval(entries[0][1].traced.wrap.format("_all"), names)
        results = function(*arguments)
        return [runner.dialect.plain(r) for r in results], set()
    except (Exception, SystemExit) as error:
        if runner.dialect.broken(error):
            raise Broken(raised(error).words) from None
        return raised(error), runner.dialect.blamed(error) & set(range(len(entries)))
    finally:
        runner.seconds += perf_counter() - began
        runner.dialect.reset()
