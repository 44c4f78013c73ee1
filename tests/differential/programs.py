"""Random programs of Python over plain data. They end, and they record what they do in the list `trace`."""

from __future__ import annotations

from collections.abc import Callable

from tests.differential import definitions
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
            _bind(w, env, kind)
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
        _record(w, env)
        return
    if w.depth > 0 and w.chance(0.12) and (env.in_loop or env.in_function):
        _leave(w, env)
        return
    w.random.choice(_STATEMENTS)(w, env)


# --- plain statements ---


def _bind(w: Writer, env: Env, kind: str | None = None) -> None:
    kind = kind or w.random.choice(["int", "int", "int", "bool", "str", "list", "list", "dict", "set", "tuple"])
    again = name(w, env, kind)
    target = again if again is not None and w.chance(0.5) and _own(env, again) else w.fresh({"int": "n", "bool": "f", "str": "s"}.get(kind, kind[0]))
    w.put(f"{target} = {VALUES[kind](w, env)}")
    env.add(kind, target)
    if env.in_function:
        env.add("own", target)


def _own(env: Env, target: str) -> bool:
    """Whether this scope may bind the name without making it another one."""
    return target not in ("a", "b", "c") and (not env.in_function or target[0] == "p" or target in env.writable_outer or target in env.of("own"))


def _record(w: Writer, env: Env) -> None:
    kind = w.random.choice(["int", "int", "bool", "str", "list", "tuple"])
    w.put(f"trace.append({VALUES[kind](w, env, 1)})")


def _augment(w: Writer, env: Env) -> None:
    found = [n for n in env.of("int") if _own(env, n)]
    lists = [n for n in env.of("list") if not env.in_function]
    if lists and w.chance(0.3):
        w.put(f"{w.random.choice(lists)} += {sequence(w, env, 1)}")
    elif found:
        op = w.random.choice(["+=", "-=", "+=", "%= 5 +", "//= 2 if True else", "*= 2 if True else"])
        w.put(f"{w.random.choice(found)} {op} {integer(w, env, 1) if '5' not in op else 2}")
    elif env.objects:
        w.put(f"{w.random.choice(env.objects)[0]}.v {w.random.choice(['+=', '-='])} {integer(w, env, 1)}")


def _unpack(w: Writer, env: Env) -> None:
    x, y = w.fresh("n"), w.fresh("n")
    match w.random.randrange(4):
        case 0:
            w.put(f"{x}, {y} = {pair(w, env)}")
        case 1:
            z = w.fresh("l")
            w.put(f"{x}, *{z} = [{integer(w, env, 1)}, *{sequence(w, env, 1)}]")
            w.put(f"{y} = {x}")
            env.add("list", z)
        case 2:
            w.put(f"({x}, _), {y} = ({integer(w, env, 1)}, {const(w)}), {integer(w, env, 1)}")
        case _:
            w.put(f"{x} = {y} = {integer(w, env)}")
    env.add("int", x)
    env.add("int", y)


def _change_list(w: Writer, env: Env) -> None:
    found = name(w, env, "list")
    if found is None:
        return _bind(w, env, "list")
    value = integer(w, env, 1)
    index = integer(w, env, 0)
    w.put(
        w.random.choice(
            [
                f"{found}.append({value})", f"{found}.append({value})", f"{found}.insert({w.random.randint(-1, 2)}, {value})",
                f"{found}.extend({sequence(w, env, 1)})",
                f"if {found}: trace.append({found}.pop())", f"if {found}: {found}[({index}) % len({found})] = {value}",
                f"{found}[{w.random.randint(0, 2)}:] = {sequence(w, env, 1)}",
                f"if {found}: del {found}[{w.random.choice([0, -1])}]", f"{found}.reverse()", f"trace.append({found}.count({const(w)}))",
                f"{found}.pop({w.random.randint(0, 2)})",
                f"if len({found}) > 1: {found}[0], {found}[-1] = {found}[-1], {found}[0]", f"{found}[:] = [e for e in {found} if e > {const(w)}]",
            ]
        )
    )  # fmt: skip
    return None


def _change_dict(w: Writer, env: Env) -> None:
    found = name(w, env, "dict")
    if found is None:
        return _bind(w, env, "dict")
    key, value = repr(w.random.choice("abcd")), integer(w, env, 1)
    w.put(
        w.random.choice(
            [
                f"{found}[{key}] = {value}", f"{found}[{key}] = {found}.get({key}, 0) + {value}", f"{found}.setdefault({key}, {value})",
                f"{found}.pop({key}, None)",
                f"{found}.update({{{key}: {value}}})", f"if {key} in {found}: del {found}[{key}]", f"trace.append(list({found}.items()))",
                f"for k in list({found}): {found}[k] += {value}",
            ]
        )
    )  # fmt: skip
    return None


def _change_set(w: Writer, env: Env) -> None:
    found = name(w, env, "set")
    if found is None:
        return _bind(w, env, "set")
    value = const(w) if w.symbolic else integer(w, env, 1)
    w.put(
        w.random.choice(
            [
                f"{found}.add({value})",
                f"{found}.discard({value})",
                f"{found} |= {{{value}}}" if not env.in_function else f"{found}.add({value})",
                f"trace.append(({value}) in {found})",
            ]
        )
    )
    return None


def _alias(w: Writer, env: Env) -> None:
    kind = w.random.choice(["list", "dict"])
    found = name(w, env, kind)
    if found is not None:
        made = w.fresh(kind[0])
        w.put(f"{made} = {found}")
        env.add(kind, made)


def _delete(w: Writer, env: Env) -> None:
    found = [n for n in env.of("int") if _own(env, n)]
    if found:
        gone = w.random.choice(found)
        w.put(f"del {gone}")
        if w.chance(0.9):
            env.drop(gone)


def _assert(w: Writer, env: Env) -> None:
    w.put(f"assert {boolean(w, env, 1)}" + (", 'told'" if w.chance(0.5) else "") if w.chance(0.25) else f"assert {integer(w, env, 0)} < 1000")


def _leave(w: Writer, env: Env) -> None:
    guard = f"if {boolean(w, env, 1)}: " if w.chance(0.5) else ""
    options = (["break", "continue"] if env.in_loop else []) + ([f"return {integer(w, env, 1)}"] * 2 if env.in_function else [])
    w.put(guard + w.random.choice(options))


def _object(w: Writer, env: Env) -> None:
    if not w.types:
        if w.depth == 0:
            definitions.cls(w, env)
        return
    held = w.random.choice(w.types)
    match w.random.randrange(6):
        case 0 | 1 | 2:
            made = w.fresh("o")
            w.put(f"{made} = {held.name}({integer(w, env, 1)}{', ' + integer(w, env, 1) if w.chance(0.3) else ''})")
            env.objects.append((made, held.name))
        case 3 if env.objects:
            owner, cls = w.random.choice(env.objects)
            kind = next(t for t in w.types if t.name == cls)
            options = [
                f"{owner}.v = {integer(w, env, 1)}",
                f"{owner}.extra = {integer(w, env, 1)}",
                f"{owner}.items.append({integer(w, env, 1)})",
                f"{cls}.count += 1",
            ]
            if kind.has("property"):
                options.append(f"{owner}.double = {integer(w, env, 1)}")
            if kind.has("setitem"):
                options.append(f"{owner}[{const(w)}] = {integer(w, env, 1)}")
            if kind.has("iadd") and not env.in_function:
                options.append(f"{owner} += {integer(w, env, 1)}")
            w.put(w.random.choice(options))
        case 4 if env.objects:
            w.put(f"trace.append(getattr({w.random.choice(env.objects)[0]}, 'extra', {const(w)}))")
        case _ if env.objects:
            w.put(f"trace.append({w.random.choice(env.objects)[0]}.step({integer(w, env, 1)}))")
        case _:
            _record(w, env)


def _generator(w: Writer, env: Env) -> None:
    found = [r for r in w.routines if r.kind == "generator"]
    if not found:
        if w.depth == 0:
            definitions.generator(w, env)
        return
    made = w.fresh("it")
    w.put(f"{made} = {call(w, env, w.random.choice(found), 1)}" if w.chance(0.6) else f"{made} = iter({sequence(w, env, 1)})")
    env.generators.append(made)
    w.put(f"trace.append(next({made}, {const(w)}))")


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
        case 6 if (table := name(w, env, "dict")):
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
        return _record(w, env)
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
        return _record(w, env)
    w.random.choice([definitions.routine, definitions.routine, definitions.generator, definitions.closure, definitions.closure, definitions.recursive])(w, env)
    return None


def _define_class(w: Writer, env: Env) -> None:
    if w.depth == 0 and len(w.types) < 3:
        definitions.cls(w, env)
    else:
        _object(w, env)


def _call(w: Writer, env: Env) -> None:
    if w.routines:
        found = w.random.choice([r for r in w.routines if r.kind != "generator"] or w.routines)
        w.put(f"trace.append({'list(' if found.kind == 'generator' else ''}{call(w, env, found, 2)}){')' if found.kind == 'generator' else ''}")
    else:
        _define(w, env)


_STATEMENTS: list[Callable[[Writer, Env], None]] = [
    *[_bind] * 6, *[_record] * 4, *[_augment] * 3, _unpack, *[_change_list] * 3, *[_change_dict] * 2, _change_set, _alias, _delete, _assert, *[_if] * 5,
    *[_for] * 3, *[_while] * 2, *[_try] * 3, _with, _match, *[_define] * 2, _define_class, *[_object] * 2, *[_call] * 2, _generator,
]  # fmt: skip
