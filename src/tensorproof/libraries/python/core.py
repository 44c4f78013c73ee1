"""Kinds of objects that belong to Python itself: ranges of unknown length, enumerations of data, exceptions, files, quiet contexts."""

from __future__ import annotations

import ast
from typing import Any

from tensorproof.libraries import registry
from tensorproof.libraries.data.batch_streams import next_batch
from tensorproof.libraries.model import Iterations, KindModel, Open, batches, counts_of, some_iterations
from tensorproof.libraries.plain import exception_text
from tensorproof.terms import BUDGETS, Dim, Origin, conj, floordiv, gt, maximum, minimum, upper
from tensorproof.values import AT, BYTES, MISSING, TEXT, Args, Key, Kwargs, List, Machine, Model, Unknown, Value, slot, summarise

START: Key[Dim] = slot("start")
STOP: Key[Dim] = slot("stop")
SOURCES: Key[Args] = slot("sources")
MODE: Key[str] = slot("mode")
GIVEN: Key[Args] = slot("args")
"""What an exception was raised with."""
NOTES: Key[List] = slot("__notes__")
_SHORT = 50
"""Letters of an expression that a message shows."""
MOST_ITERATIONS = BUDGETS.loops.range_iterations


def _range_length(m: Machine, me: Model, node: ast.AST) -> Any:
    start, stop, step = me.space[START], me.space[STOP], me.space["step"]
    if not isinstance(step, int) or step == 0:
        return Unknown("len")
    count = floordiv(stop - start + step - 1, step) if step > 0 else floordiv(start - stop - step - 1, -step)
    return maximum(count, 0)


def _range_iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    """A range of unknown length: every iteration where there are few at most; else a first iteration where it is not empty, and one with any number in it."""
    start, step = me.space[START], me.space["step"]
    if not isinstance(step, int) or step == 0:
        return None
    count = _range_length(m, me, node)
    most = upper(count)
    me.space["open"] = most > MOST_ITERATIONS
    if most <= MOST_ITERATIONS:
        return [(gt(count, k), start + k * step) for k in range(int(most))]
    return Open(count, lambda k: start + k * step, m.symbol(m.name_here("i", node), 1, None, Origin.WORLD))


def iterations_of(m: Machine, value: Value, node: ast.AST) -> Any:
    """The iterations of a loop over data, or over items that were summarised; None for anything else."""
    if isinstance(value, Model):
        return registry.iterations(m, value, node)
    return m.open_iterations(value, node)


def _enumerate_iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    source, start = me.space["source"], me.space[START]
    found = iterations_of(m, source, node)
    if found is None:
        listed = m.iterate(source, node)
        return None if listed is None else Iterations([(True, (start + i, v)) for i, v in enumerate(listed)], (1,) * len(listed))
    if isinstance(found, Open):
        return Open(found.times, lambda k: (start + k, found.item(k)), 1)
    if getattr(found, "times", None) is not None:
        ending = [(condition, (start + found.times + i, value)) for i, (condition, value) in enumerate(found.rest)]
        return batches(found.times, lambda k: (start + k, found.item(k)), ending)
    counts = counts_of(found)
    numbered: list[Value] = []
    for i, (condition, value) in enumerate(found):
        if counts is not None:
            first, last = sum(counts[:i]), sum(counts[: i + 1]) - 1
            number = first if first == last else m.symbol(m.name_here("iteration", node), first, last, Origin.WORLD)
        else:
            number = i if condition is True else m.symbol(m.name_here("iteration", node), 0, None, Origin.WORLD)
        numbered.append((condition, (start + number, value)))
    return Iterations(numbered, counts)


def _zip_iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    columns: list[list[Value]] = []
    opened = [iterations_of(m, source, node) for source in me.space[SOURCES]]
    if opened and all(isinstance(o, Open) for o in opened):
        return Open(minimum(*(o.times for o in opened)), lambda k: tuple(o.item(k) for o in opened), 1)
    if opened and all(getattr(o, "times", None) is not None and not isinstance(o, Open) for o in opened):
        return _zip_batches(opened)
    sources = me.space[SOURCES]
    for source, found in zip(sources, opened):
        if found is None:
            listed = m.iterate(source, node)
            if listed is None:
                return None
            found = [(True, v) for v in listed]
        columns.append(found)
    rows: list[Value] = []
    for row in zip(*columns):
        condition = next((c for c, _ in row if c is not True), True)
        rows.append((condition, tuple(v for _, v in row)))
    return rows


def _zip_batches(columns: list[Any]) -> Iterations:
    """Loaders in step: it ends with the shortest. What is left over of one meets a regular batch of another, unless both end at once."""
    times = minimum(*(c.times for c in columns))
    rest: list[Value] = []
    if all(c.times == columns[0].times and len(c.rest) == len(columns[0].rest) for c in columns):
        for row in zip(*(c.rest for c in columns)):
            rest.append((conj(*(condition for condition, _ in row)), tuple(value for _, value in row)))
    else:
        for one in columns:
            for condition, value in one.rest:
                ends = conj(condition, *(gt(c.times, one.times) for c in columns if c is not one))
                rest.append((ends, tuple(value if c is one else c.item(times) for c in columns)))
    return batches(times, lambda k: tuple(c.item(k) for c in columns), rest)


def written(node: ast.AST) -> str:
    """An expression as the program writes it, where it is short."""
    text = ast.unparse(node) if isinstance(node, ast.expr) else ""
    return text if 0 < len(text) <= _SHORT else "…"


def texts(m: Machine, node: ast.AST, word: str = "texts") -> List:
    """The words or lines of an unknown text."""
    return List(m.heap.row([summarise(m.symbol(m.name_here(word, node, f"len({written(node)})"), 0, None, Origin.USER), [TEXT])]))


def _known_lines(m: Machine, me: Model) -> list[str] | None:
    """The lines of a small file of the project that is read as text."""
    if me.space[MODE] not in ("r", "rt"):
        return None
    from tensorproof.libraries.python.storage.paths import read_text  # few programs open files

    text = read_text(m, me.space["path"])
    return None if text is None else text.splitlines(keepends=True)


def _file_read(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    lines = _known_lines(m, me)
    if lines is None or args or not isinstance(me.space[AT], int):
        return TEXT if "b" not in me.space[MODE] else BYTES
    at = me.space[AT]
    m.heap.set(me.space, AT, len(lines))
    return "".join(lines[at:])


def _file_lines(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    found = _file_items(m, me, node)
    return texts(m, node) if found is None else List(m.heap.row(found))


def _file_items(m: Machine, me: Model, node: ast.AST) -> Value:
    lines = _known_lines(m, me)
    if lines is None:
        return None
    at = me.space[AT]
    m.heap.set(me.space, AT, len(lines))
    return lines[at:]


def _file_line(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    lines, at = _known_lines(m, me), me.space[AT]
    if lines is None:
        return BYTES if "b" in me.space[MODE] else TEXT
    m.heap.set(me.space, AT, min(at + 1, len(lines)))
    return lines[at] if at < len(lines) else ""


def _file_next(m: Machine, me: Model, node: ast.AST) -> Value:
    lines = _known_lines(m, me)
    if lines is not None and me.space[AT] >= len(lines):
        raise m.raised("StopIteration", "the file has no more lines", node)
    return _file_line(m, me, (), {}, node)


def _file_seek(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    if args and args[0] == 0:
        m.heap.set(me.space, AT, 0)
        return 0
    m.heap.set(me.space, MODE, "?")
    return Unknown("a number")


def _file_iterations(m: Machine, me: Model, node: ast.AST) -> Value:
    if _known_lines(m, me) is not None:
        return None
    return some_iterations(m, "lines", BYTES if "b" in me.space[MODE] else TEXT, node)


def _plain_attribute(m: Any, me: Value, name: str, node: Value) -> Value:
    if not hasattr(object, name):
        raise m.raised("AttributeError", f"a plain object has no attribute {name}", node)
    return Unknown(name)


def _set_plain_attribute(m: Any, me: Value, name: str, value: Value, node: Value) -> None:
    raise m.raised("AttributeError", f"a plain object takes no attribute {name}", node)


def _exception_attribute(m: Machine, me: Model, name: str, node: ast.AST) -> Value:
    given = me.space[GIVEN]
    if name == "args":
        return given
    if name in ("value", "code") and me.space["kind"] == ("StopIteration" if name == "value" else "SystemExit"):
        return given[0] if given else None
    if name in ("__notes__", "exceptions") and name in me.space:
        return me.space[name]
    if name == "exceptions" and len(given) == 2 and isinstance(given[1], List):
        return tuple(given[1].items)
    return Unknown(name) if name.startswith("__") else MISSING


def _add_note(m: Machine, me: Model, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    notes = me.space.get(NOTES)
    m.heap.set(me.space, NOTES, List(m.heap.row([*(notes.items if isinstance(notes, List) else ()), args[0]])))


def _iterator_items(m: Machine, me: Model, node: ast.AST) -> list[Value] | None:
    """All that an iterator over data gives, where nothing was taken from it and the data can be counted."""
    source, at = me.space["source"], me.space.get(AT, 0)
    found = registry.items(m, source, node) if "begun" not in me.space and isinstance(at, int) else None
    return None if found is None else found[at:]


KINDS = {
    "coroutine": KindModel(open=True),
    "range": KindModel(length=_range_length, iterations=_range_iterations),
    "enumerate": KindModel(iterations=_enumerate_iterations, next=next_batch),
    "zip": KindModel(iterations=_zip_iterations),
    "data iterator": KindModel(
        {w: lambda m, me, args, kwargs, node: next_batch(m, me, node) for w in ("next", "get_next", "__next__")},
        next=next_batch, iterations=lambda m, me, node: registry.iterations(m, me.space["source"], node), items=_iterator_items,
        length=lambda m, me, n: registry.length(m, me.space["source"], n),
    ),
    "exception": KindModel(
        {"add_note": _add_note, "with_traceback": lambda m, me, args, kwargs, node: me}, attribute=_exception_attribute, open=True,
        text=lambda m, me: exception_text(me.space["kind"], me.space[GIVEN])),
    "object": KindModel(open=True),
    "builtins.object": KindModel(attribute=_plain_attribute, set_attribute=_set_plain_attribute),
    "context": KindModel(enter=lambda m, me, node: None, call=lambda m, me, args, kwargs, node: args[0] if args else None),
    "quiet": KindModel(
        attribute=lambda m, me, name, node: MISSING if name in me.space else me, enter=lambda m, me, node: me, call=lambda m, me, args, kwargs, node: me,
        item=lambda m, me, index, node: me, set_item=lambda m, me, index, value, node: None, next=lambda m, me, node: me,
        iterations=lambda m, me, node: some_iterations(m, "iterations", me, node, Origin.UNMODELLED), length=lambda m, me, node: Unknown("len"),
        binary=lambda m, word, a, b, node: Unknown(word),
    ),
    "file": KindModel(
        methods={"read": _file_read, "readlines": _file_lines, "readline": _file_line, "seek": _file_seek},
        enter=lambda m, me, node: me, iterations=_file_iterations, items=_file_items, next=_file_next, open=True,
    ),
}  # fmt: skip
