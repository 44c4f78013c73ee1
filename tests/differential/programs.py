"""Random programs of Python over plain data. They end, and they record what they do in the list `trace`."""

from __future__ import annotations

from collections.abc import Callable

from tests.differential import changes, definitions
from tests.differential.concrete import compiled
from tests.differential.expressions import VALUES, boolean, call, const, integer, name, pair, sequence, text
from tests.differential.writer import Env, Writer

INPUTS = {"a": (-3, 4), "b": (0, 5), "c": (0, 1)}
"""The inputs of a symbolic program with their ranges; `c` is a truth value."""


def program(seed: int, symbolic: bool = False) -> str:
    """The text of a program. A symbolic one reads the names of INPUTS, which it does not bind itself."""
    for attempt in range(50):
        text_ = _write(seed * 50 + attempt, symbolic)
        try:
            compiled(text_)
        except SyntaxError:
            continue
        return text_
    raise AssertionError(f"no program for seed {seed}")


def _write(seed: int, symbolic: bool) -> str:
    w = Writer(seed, symbolic)
    env = Env()
    w.put("trace = []")
    if symbolic:
        env.add("int", "a")
        if w.chance(0.6):
            env.add("int", "b")
        if w.chance(0.6):
            env.add("bool", "c")
    for kind in ("int", "list", "dict"):
        if w.chance(0.7):
            changes.bind(w, env, kind)
    w.budget = w.random.randint(4, 12) if symbolic else w.random.randint(8, 30)
    if w.chance(0.5):
        definitions.cls(w, env)
    if w.chance(0.5):
        definitions.routine(w, env)
    while w.budget > 0:
        statement(w, env)
    return "\n".join(w.lines) + "\n"


def block(w: Writer, env: Env, most: int = 3) -> None:
    """The indented statements of one suite."""
    w.depth += 1
    before = len(w.lines)
    for _ in range(w.random.randint(1, most)):
        statement(w, env)
    if len(w.lines) == before:
        w.put("pass")
    w.depth -= 1


def statement(w: Writer, env: Env) -> None:
    w.budget -= 1
    if w.depth > 5 or w.budget < -15:
        changes.record(w, env)
        return
    if w.depth > 0 and w.chance(0.12) and (env.in_loop or env.in_function):
        changes.leave(w, env)
        return
    w.random.choice(_STATEMENTS)(w, env)


# --- control ---


def _if(w: Writer, env: Env) -> None:
    w.put(f"if {boolean(w, env)}:")
    block(w, inner := env.inner())
    if w.chance(0.3):
        w.put(f"elif {boolean(w, env, 1)}:")
        block(w, env.inner())
    other = env.inner()
    if w.chance(0.5):
        w.put("else:")
        block(w, other)
    for kind in ("int", "list"):  # a name that only one side bound
        for found in inner.of(kind):
            if found not in env.of(kind) and (found in other.of(kind) or w.chance(0.06)):
                env.add(kind, found)


def _for(w: Writer, env: Env) -> None:
    inner = env.inner(in_loop=True)
    x = w.fresh("i")
    inner.add("int", x)
    match w.random.randrange(9):
        case 0 | 1:
            w.put(f"for {x} in range({w.random.randint(0, 5)}):")
        case 2:
            long = w.random.choice([6, 7, 9, 12, 20]) if w.depth else w.random.choice([6, 8, 13, 40, 130])
            w.put(f"for {x} in range({w.random.choice([0, 1, 5])}, {long + 3}, {w.random.choice([1, 1, 2])}):")
        case 3:
            w.put(f"for {x} in {sequence(w, env)}:")
        case 4:
            y = w.fresh("i")
            inner.add("int", y)
            w.put(f"for {x}, {y} in enumerate({sequence(w, env, 1)}{', 1' if w.chance(0.3) else ''}):")
        case 5:
            y = w.fresh("i")
            inner.add("int", y)
            w.put(f"for {x}, {y} in zip({sequence(w, env, 1)}, range({w.random.randint(1, 5)})):")
        case 6 if table := name(w, env, "dict"):
            key = w.fresh("s")
            inner.add("str", key)
            w.put(f"for {key}, {x} in list({table}.items()):")
        case 7 if any(r.kind == "generator" for r in w.routines):
            w.put(f"for {x} in {call(w, env, w.random.choice([r for r in w.routines if r.kind == 'generator']), 1)}:")
        case 8 if w.symbolic and w.chance(0.5):
            w.put(f"for {x} in range({w.random.choice(['a', 'b'])}):")
        case _:
            w.put(f"for {x} in reversed(range({w.random.randint(0, 4)})):")
    block(w, inner)
    if w.chance(0.25):
        w.put("else:")
        block(w, env.inner(), 2)


def _while(w: Writer, env: Env) -> None:
    at = w.fresh("n")
    inner = env.inner(in_loop=True)
    inner.add("int", at)
    inner.of("own")
    most = w.random.randint(1, 4)
    w.put(f"{at} = 0")
    match w.random.randrange(3):
        case 0:
            w.put(f"while ({at} := {at} + 1) < {most} and {boolean(w, env, 1)}:")
            block(w, inner)
        case 1:
            w.put(f"while {at} < {most}:")
            w.put(f"    {at} += 1")
            block(w, inner)
        case _:
            w.put("while True:")
            w.put(f"    {at} = {at} + 1")
            w.put(f"    if {at} > {most}: break")
            block(w, inner)
    if w.chance(0.25):
        w.put("else:")
        block(w, env.inner(), 2)


def _try(w: Writer, env: Env) -> None:
    kinds = [
        "ValueError",
        "KeyError",
        "IndexError",
        "ZeroDivisionError",
        "(TypeError, LookupError)",
        "Exception",
        "ArithmeticError",
        "NameError",
        "AttributeError",
    ]
    w.put("try:")
    block(w, inner := env.inner())
    if w.chance(0.6):
        w.depth += 1
        guard = f"if {boolean(w, env, 1)}: " if w.chance(0.6) else ""
        w.put(
            guard
            + w.random.choice(
                [
                    "raise ValueError('bad', 3)",
                    "raise KeyError",
                    "{}['q']",
                    "[][2]",
                    "1 // 0",
                    f"raise IndexError({integer(w, env, 0)})",
                    f"{integer(w, env, 0)}.missing",
                    "int('x')",
                    "None + 1",
                ]
            ).replace("-", "0-")
        )
        w.depth -= 1
    handled = w.chance(0.85)
    if handled:
        for kind in w.random.sample(kinds, w.random.randint(1, 2)):
            bound = w.fresh("x")
            w.put(f"except {kind} as {bound}:" if w.chance(0.4) else f"except {kind}:")
            block(w, env.inner(), 2)
            if w.chance(0.15):
                w.put("    raise" if w.chance(0.5) else "    raise RuntimeError('again')")
        if w.chance(0.3):
            w.put("else:")
            block(w, inner.inner(), 2)
    if not handled or w.chance(0.4):
        w.put("finally:")
        last = env.inner()
        if w.chance(0.85):
            last.in_loop = last.in_function = False
        block(w, last, 2)


def _with(w: Writer, env: Env) -> None:
    held = [t for t in w.types if t.has("enter")]
    if not held:
        return changes.record(w, env)
    bound = w.fresh("o")
    cls = w.random.choice(held).name
    inner = env.inner()
    inner.objects.append((bound, cls))
    w.put(f"with {cls}({integer(w, env, 0)}) as {bound}" + (f", {cls}({const(w)})" if w.chance(0.3) else "") + ":")
    block(w, inner)
    if w.chance(0.4):
        w.put(f"    if {boolean(w, env, 1)}: raise {w.random.choice(['ValueError', 'KeyError'])}('inside')")
    return None


def _match(w: Writer, env: Env) -> None:
    x, y = w.fresh("n"), w.fresh("n")
    with_pair = env.inner()
    with_pair.add("int", x)
    with_pair.add("int", y)
    subject = w.random.choice([integer(w, env, 1), pair(w, env), sequence(w, env, 1), VALUES["dict"](w, env), text(w, env, 1)])
    w.put(f"match {subject}:")
    w.depth += 1
    cases = [
        (str(w.random.randint(0, 4)), env), (f"{w.random.randint(0, 3)} | {w.random.randint(-2, 5)}", env), (f"({x}, {y})", with_pair),
        (f"[{x}, *{y}_rest]", None),
        (f"[{x}, 2 as {y}]", with_pair), (f"{{'a': {x}}}", None), (f"int({x})", None), ("str()", env), ("'a' | 'b'", env), ("None", env), ("[]", env),
        (f"{{'b': {x}, **{y}_rest}}", None), (f"(0, _) | (_, {w.random.randint(0, 2)})", env),
    ]  # fmt: skip
    for chosen, scope in w.random.sample(cases, w.random.randint(1, 4)):
        if scope is None:
            scope = env.inner()
            scope.add("int", x)
        guard = f" if {boolean(w, scope, 1)}" if w.chance(0.3) else ""
        w.put(f"case {chosen}{guard}:")
        block(w, scope.inner(), 2)
    if w.chance(0.5):
        w.put("case _:")
        block(w, env.inner(), 2)
    w.depth -= 1


def _define(w: Writer, env: Env) -> None:
    if w.depth > 2 or (env.in_function and w.chance(0.5)):
        return changes.record(w, env)
    w.random.choice([definitions.routine, definitions.routine, definitions.generator, definitions.closure, definitions.closure, definitions.recursive])(w, env)
    return None


def _define_class(w: Writer, env: Env) -> None:
    if w.depth == 0 and len(w.types) < 3:
        definitions.cls(w, env)
    else:
        changes.object(w, env)


def _call(w: Writer, env: Env) -> None:
    if w.routines:
        found = w.random.choice([r for r in w.routines if r.kind != "generator"] or w.routines)
        w.put(f"trace.append({'list(' if found.kind == 'generator' else ''}{call(w, env, found, 2)}){')' if found.kind == 'generator' else ''}")
    else:
        _define(w, env)


_STATEMENTS: list[Callable[[Writer, Env], None]] = [
    *[changes.bind] * 6,
    *[changes.record] * 4,
    *[changes.augment] * 3,
    changes.unpack,
    *[changes.change_list] * 3,
    *[changes.change_dict] * 2,
    changes.change_set,
    changes.alias,
    changes.delete,
    changes.assert_,
    *[_if] * 5,
    *[_for] * 3,
    *[_while] * 2,
    *[_try] * 3,
    _with,
    _match,
    *[_define] * 2,
    _define_class,
    *[changes.object] * 2,
    *[_call] * 2,
    changes.generator,
]
