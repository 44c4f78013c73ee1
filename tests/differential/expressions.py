"""Random expressions of each kind over the names in reach."""

from __future__ import annotations

from collections.abc import Callable

from tests.differential.writer import Env, Routine, Writer


def const(w: Writer) -> str:
    return str(w.random.randint(-3, 7))


def name(w: Writer, env: Env, kind: str) -> str | None:
    found = env.of(kind)
    return w.random.choice(found) if found else None


def integer(w: Writer, env: Env, depth: int = 2) -> str:
    if depth <= 0 or w.chance(0.3):
        found = name(w, env, "int")
        return found if found is not None and w.chance(0.7) else const(w)
    return w.random.choice(_INTEGERS)(w, env, depth - 1)


def _arithmetic(w: Writer, env: Env, d: int) -> str:
    op = w.random.choice(["+", "-", "+", "-", "*"])
    if op == "*":
        return f"({integer(w, env, d)}) * {const(w)}"
    return f"({integer(w, env, d)} {op} {integer(w, env, d)})"


def _division(w: Writer, env: Env, d: int) -> str:
    op = w.random.choice(["//", "%"])
    by = str(w.random.choice([2, 3, 5, -2, -3])) if w.chance(0.9) else integer(w, env, 0)
    return f"({integer(w, env, d)} {op} {by})"


def _conditional(w: Writer, env: Env, d: int) -> str:
    return f"({integer(w, env, d)} if {boolean(w, env, d)} else {integer(w, env, d)})"


def _length(w: Writer, env: Env, d: int) -> str:
    kind = w.random.choice(["list", "dict", "set", "tuple", "str"])
    found = name(w, env, kind)
    return f"len({found})" if found else const(w)


def _item(w: Writer, env: Env, d: int) -> str:
    kind = w.random.choice(["list", "list", "tuple"])
    found = name(w, env, kind)
    if found is None:
        return const(w)
    index = const(w) if w.chance(0.3) else integer(w, env, d)
    if w.chance(0.15):
        return f"{found}[{index}]"
    return f"({found}[({index}) % len({found})] if {found} else {const(w)})"


def _entry(w: Writer, env: Env, d: int) -> str:
    found = name(w, env, "dict")
    if found is None:
        return const(w)
    key = repr(w.random.choice("abcd"))
    return f"{found}[{key}]" if w.chance(0.15) else f"{found}.get({key}, {integer(w, env, d)})"


def _extreme(w: Writer, env: Env, d: int) -> str:
    if w.chance(0.3):
        return f"sum({sequence(w, env, d)})"
    if w.chance(0.2):
        return f"{w.random.choice(['min', 'max'])}({sequence(w, env, d)}, default={const(w)})"
    return f"{w.random.choice(['min', 'max'])}({integer(w, env, d)}, {integer(w, env, d)})"


def _of_truth(w: Writer, env: Env, d: int) -> str:
    match w.random.randrange(5):
        case 0:
            return f"int({boolean(w, env, d)})"
        case 1:
            return f"(({boolean(w, env, d)}) + {const(w)})"
        case 2:
            return f"({integer(w, env, d)} and {integer(w, env, d)})"
        case 3:
            return f"({integer(w, env, d)} or {integer(w, env, d)})"
        case _:
            return f"(({boolean(w, env, d)}) * {integer(w, env, d)})"


def _walrus(w: Writer, env: Env, d: int) -> str:
    if not w.walrus:
        return const(w)
    target = w.fresh("v")
    value = integer(w, env, d)
    return f"(({target} := {value}) + {target})"


def _lambda(w: Writer, env: Env, d: int) -> str:
    q = w.fresh("q")
    inner = env.inner()
    inner.add("int", q)
    return f"(lambda {q}, k={const(w)}: {integer(w, inner, d)} + k)({integer(w, env, d)})"


def _bits(w: Writer, env: Env, d: int) -> str:
    if w.symbolic:
        return f"abs({integer(w, env, d)})"
    op = w.random.choice(["&", "|", "^", ">>", "<<"])
    if op in (">>", "<<"):
        return f"({integer(w, env, d)} {op} {w.random.randint(0, 2)})"
    return w.random.choice([f"({integer(w, env, d)} {op} {integer(w, env, d)})", f"(~{integer(w, env, d)})", f"divmod({integer(w, env, d)}, 3)[1]"])


def _called(w: Writer, env: Env, d: int) -> str:
    found = [r for r in w.routines if r.kind == "int"]
    return call(w, env, w.random.choice(found), d) if found else const(w)


def call(w: Writer, env: Env, routine: Routine, d: int) -> str:
    """A call that fits the function's parameters, nearly always."""
    positional: list[str] = []
    named: list[str] = []
    open_ = True
    for parameter in routine.parameters:
        match parameter.form:
            case "plain":
                if open_ and w.chance(0.8):
                    positional.append(integer(w, env, d - 1))
                elif w.chance(0.96):
                    open_ = False
                    named.append(f"{parameter.name}={integer(w, env, d - 1)}")
            case "only":
                positional.append(integer(w, env, d - 1))
            case "default":
                if open_ and w.chance(0.4):
                    positional.append(integer(w, env, d - 1))
                else:
                    open_ = False
                    if w.chance(0.4):
                        named.append(f"{parameter.name}={integer(w, env, d - 1)}")
            case "star":
                if open_ and w.chance(0.6):
                    positional.extend(integer(w, env, d - 1) for _ in range(w.random.randint(0, 2)))
                    if w.chance(0.4) and (found := name(w, env, "list")):
                        positional.append(f"*{found}")
            case "keyword":
                if w.chance(0.9):
                    named.append(f"{parameter.name}={integer(w, env, d - 1)}")
            case "list":
                open_ = False
                named.append(f"{parameter.name}={sequence(w, env, d - 1)}")
            case _:
                if w.chance(0.5):
                    named.append(f"{w.fresh('kw')}={integer(w, env, d - 1)}")
                if w.chance(0.3):
                    named.append(f"**{{'z': {integer(w, env, d - 1)}}}")
    return f"{routine.name}({', '.join(positional + named)})"


def _member(w: Writer, env: Env, d: int) -> str:
    if not env.objects:
        return const(w)
    owner, cls = w.random.choice(env.objects)
    held = next(t for t in w.types if t.name == cls)
    options = [f"{owner}.v", f"{owner}.k", f"{cls}.count", f"{owner}.step({integer(w, env, d)})"]
    if held.has("property"):
        options.append(f"{owner}.double")
    if held.has("static"):
        options += [f"{cls}.helper({integer(w, env, d)})", f"{owner}.helper({integer(w, env, d)})"]
    if held.has("make"):
        options.append(f"{cls}.make({integer(w, env, d)}).v")
    if held.has("getitem"):
        options.append(f"{owner}[{integer(w, env, d)}]")
    if held.has("call"):
        options.append(f"{owner}({integer(w, env, d)})")
    if held.has("add"):
        options += [f"({owner} + {integer(w, env, d)}).v", f"({integer(w, env, d)} + {owner}).v", f"(-{owner}).v"]
    if held.has("len"):
        options.append(f"len({owner})")
    if held.has("iter"):
        options += [f"sum({owner})", f"sum([*{owner}])"]
    return w.random.choice(options)


def _advanced(w: Writer, env: Env, d: int) -> str:
    return f"next({w.random.choice(env.generators)}, {const(w)})" if env.generators else const(w)


_INTEGERS: list[Callable[[Writer, Env, int], str]] = [
    *[_arithmetic] * 4, _division, _conditional, _conditional, _length, _item, _item, _entry, _extreme, _of_truth, _of_truth, _walrus, _lambda, _bits,
    *[_called] * 3, *[_member] * 3, _advanced,
]  # fmt: skip


def boolean(w: Writer, env: Env, depth: int = 2) -> str:
    if depth <= 0 or w.chance(0.15):
        found = name(w, env, "bool")
        if found is not None and w.chance(0.6):
            return found
        return _compared(w, env, 0) if w.chance(0.8) else w.random.choice(["True", "False"])
    d = depth - 1
    match w.random.randrange(14):
        case 0 | 1 | 2 | 3:
            return _compared(w, env, d)
        case 4:
            first = f"{integer(w, env, d)} {w.random.choice(['<', '<=', '!='])} {integer(w, env, d)}"
            return f"({first} {w.random.choice(['<', '<=', '==', '>'])} {integer(w, env, d)})"
        case 5:
            return f"(not {boolean(w, env, d)})"
        case 6:
            return f"({boolean(w, env, d)} and {boolean(w, env, d)})"
        case 7:
            return f"({boolean(w, env, d)} or {boolean(w, env, d)})"
        case 8:
            return f"({integer(w, env, d)} {w.random.choice(['in', 'not in'])} {w.random.choice([sequence, pair])(w, env, d)})"
        case 9:
            found = name(w, env, "dict")
            return f"({w.random.choice('abcd')!r} in {found})" if found else f"bool({integer(w, env, d)})"
        case 10:
            return f"({sequence(w, env, d)} == {sequence(w, env, d)})"
        case 11:
            noted = f"(trace.append({w.random.randint(20, 29)}) or " if w.chance(0.3) else "("
            return (
                f"{w.random.choice(['any', 'all'])}({noted}{_comprehended(w, env, d, truth=True).replace(' for ', ') for ', 1)})"
                if "lambda" not in noted
                else "True"
            )
        case 12:
            if env.objects:
                owner, cls = w.random.choice(env.objects)
                other = w.random.choice(env.objects)[0]
                return w.random.choice([f"({owner} is {other})", f"({owner} == {other})", f"isinstance({owner}, {w.random.choice(w.types).name})",
                    f"bool({owner})",
                    f"hasattr({owner}, {w.random.choice(['v', 'extra', 'double'])!r})",
                    f"({integer(w, env, d)} in {owner})" if _has(w, cls, "contains") else f"({owner} != {other})"])  # fmt: skip
            return f"({text(w, env, d)} == {text(w, env, d)})"
        case _:
            a, b = name(w, env, "list"), name(w, env, "list")
            return f"({a} is {b})" if a else f"({integer(w, env, d)} is None)"


def _has(w: Writer, cls: str, member: str) -> bool:
    return next(t for t in w.types if t.name == cls).has(member)


def _compared(w: Writer, env: Env, d: int) -> str:
    return f"({integer(w, env, d)} {w.random.choice(['<', '<=', '>', '>=', '==', '!='])} {integer(w, env, d)})"


def text(w: Writer, env: Env, depth: int = 2) -> str:
    found = name(w, env, "str")
    match w.random.randrange(9):
        case 0 | 1 if found:
            return found
        case 2 if depth > 0:
            return f"({text(w, env, depth - 1)} + {text(w, env, depth - 1)})"
        case 3 if depth > 0:
            return f"({text(w, env, depth - 1)} if {boolean(w, env, depth - 1)} else {text(w, env, depth - 1)})"
        case 4 if depth > 0 and not w.symbolic:
            return w.random.choice(
                [
                    f"str({integer(w, env, depth - 1)})",
                    f"f'{{{name(w, env, 'int') or 3}}}-{{{name(w, env, 'int') or 4:}:>3}}'",
                    f"repr({pair(w, env, 0)})",
                ]
            )
        case 5 if found:
            return w.random.choice([f"{found}.upper()", f"{found}[1:]", f"{found}[::-1]", f"{found}.replace('a', 'xy')", f"({found} * 2)[:6]"])
        case 6 if depth > 0:
            return f"'-'.join(t for t in [{text(w, env, 0)}, {text(w, env, 0)}] if t)"
        case _:
            return repr("".join(w.random.choice("abc") for _ in range(w.random.randint(0, 3))))


def sequence(w: Writer, env: Env, depth: int = 2) -> str:
    found = name(w, env, "list")
    if found is not None and w.chance(0.35):
        return found
    if depth <= 0:
        return f"[{', '.join(integer(w, env, 0) for _ in range(w.random.randint(0, 3)))}]"
    d = depth - 1
    match w.random.randrange(11):
        case 0 | 1:
            return f"[{_comprehended(w, env, d)}]"
        case 2 if found:
            low = w.random.randint(0, 2)
            return f"{found}[{w.random.choice([f'{low}:', f':{low + 1}', f'-{low + 1}:', '::-1', '::2', f'{low}:{low + 2}'])}]"
        case 3:
            return f"({sequence(w, env, d)} + {sequence(w, env, d)})"
        case 4:
            return f"[*{sequence(w, env, d)}, {integer(w, env, d)}]"
        case 5:
            return f"list(range({w.random.randint(0, 3)}, {w.random.randint(0, 7)}))" if not w.symbolic or w.chance(0.9) else f"[{integer(w, env, d)}] * 2"
        case 6 if not w.symbolic:
            return f"sorted({sequence(w, env, d)}, key=lambda e: {w.random.choice(['e', '-e', 'e % 3', '(e % 2, e)'])})"
        case 7:
            generators = [r for r in w.routines if r.kind == "generator"]
            if generators:
                return f"list({call(w, env, w.random.choice(generators), d)})"
        case 8:
            return f"list(map(lambda e: e {w.random.choice(['+', '-', '*'])} {integer(w, env, 0)}, {sequence(w, env, d)}))"
        case 9 if table := name(w, env, "dict"):
            return f"list({table}.values())"
        case 10 if (held := name(w, env, "set")) and not w.symbolic:
            return f"sorted({held})"
        case _:
            pass
    return f"[{', '.join(integer(w, env, d) for _ in range(w.random.randint(0, 4)))}]"


def _comprehended(w: Writer, env: Env, d: int, truth: bool = False) -> str:
    e = w.fresh("e")
    inner = env.inner()
    before, w.walrus = w.walrus, False
    source = w.random.choice([f"range({w.random.randint(0, 5)})", sequence(w, env, min(d, 1))])
    w.walrus = before
    inner.add("int", e)
    condition = f" if {boolean(w, inner, min(d, 1))}" if w.chance(0.4) else ""
    second = ""
    if w.chance(0.2):
        f = w.fresh("e")
        second = f" for {f} in range({w.random.randint(0, 3)})"
        inner.add("int", f)
    return f"{boolean(w, inner, d) if truth else integer(w, inner, d)} for {e} in {source}{condition}{second}"


def pair(w: Writer, env: Env, depth: int = 1) -> str:
    found = name(w, env, "tuple")
    if found is not None and w.chance(0.4):
        return found
    return f"({integer(w, env, depth)}, {integer(w, env, depth)})"


def table(w: Writer, env: Env, depth: int = 1) -> str:
    found = name(w, env, "dict")
    match w.random.randrange(5):
        case 0 if found:
            return f"dict({found})"
        case 1 if found:
            return f"{{**{found}, {w.random.choice('abcd')!r}: {integer(w, env, depth)}}}"
        case 2:
            e = w.fresh("e")
            inner = env.inner()
            inner.add("str", e)
            return f"{{{e}: {integer(w, env, depth)} for {e} in {''.join(w.random.sample('abcd', 2))!r}}}"
        case _:
            keys = w.random.sample("abcd", w.random.randint(0, 3))
            return "{" + ", ".join(f"{k!r}: {integer(w, env, depth)}" for k in keys) + "}"


def collection(w: Writer, env: Env, depth: int = 1) -> str:
    if w.symbolic:
        return "{" + ", ".join(str(w.random.randint(0, 5)) for _ in range(w.random.randint(1, 4))) + "}"
    match w.random.randrange(4):
        case 0:
            return f"{{{_comprehended(w, env, depth)}}}"
        case 1:
            return f"set({sequence(w, env, depth)})"
        case 2 if found := name(w, env, "set"):
            return f"({found} {w.random.choice(['|', '&', '-', '^'])} {{{const(w)}, {const(w)}}})"
        case _:
            return f"{{{integer(w, env, depth)}, {const(w)}}}"


VALUES: dict[str, Callable[..., str]] = {
    "int": integer, "bool": boolean, "str": text, "list": sequence, "dict": table, "set": collection, "tuple": pair,
}  # fmt: skip
