"""Random statements that hold no others: bindings, changes of lists, dicts, sets and objects, and ways to leave."""

from __future__ import annotations

from tests.differential import definitions
from tests.differential.expressions import VALUES, boolean, call, const, integer, name, pair, sequence
from tests.differential.writer import Env, Writer


def bind(w: Writer, env: Env, kind: str | None = None) -> None:
    kind = kind or w.random.choice(["int", "int", "int", "bool", "str", "list", "list", "dict", "set", "tuple"])
    again = name(w, env, kind)
    target = again if again is not None and w.chance(0.5) and own(env, again) else w.fresh({"int": "n", "bool": "f", "str": "s"}.get(kind, kind[0]))
    w.put(f"{target} = {VALUES[kind](w, env)}")
    env.add(kind, target)
    if env.in_function:
        env.add("own", target)


def own(env: Env, target: str) -> bool:
    """Whether this scope may bind the name without making it another one."""
    return target not in ("a", "b", "c") and (not env.in_function or target[0] == "p" or target in env.writable_outer or target in env.of("own"))


def record(w: Writer, env: Env) -> None:
    kind = w.random.choice(["int", "int", "bool", "str", "list", "tuple"])
    w.put(f"trace.append({VALUES[kind](w, env, 1)})")


def augment(w: Writer, env: Env) -> None:
    found = [n for n in env.of("int") if own(env, n)]
    lists = [n for n in env.of("list") if not env.in_function]
    if lists and w.chance(0.3):
        w.put(f"{w.random.choice(lists)} += {sequence(w, env, 1)}")
    elif found:
        op = w.random.choice(["+=", "-=", "+=", "%= 5 +", "//= 2 if True else", "*= 2 if True else"])
        w.put(f"{w.random.choice(found)} {op} {integer(w, env, 1) if '5' not in op else 2}")
    elif env.objects:
        w.put(f"{w.random.choice(env.objects)[0]}.v {w.random.choice(['+=', '-='])} {integer(w, env, 1)}")


def unpack(w: Writer, env: Env) -> None:
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


def change_list(w: Writer, env: Env) -> None:
    found = name(w, env, "list")
    if found is None:
        return bind(w, env, "list")
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


def change_dict(w: Writer, env: Env) -> None:
    found = name(w, env, "dict")
    if found is None:
        return bind(w, env, "dict")
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


def change_set(w: Writer, env: Env) -> None:
    found = name(w, env, "set")
    if found is None:
        return bind(w, env, "set")
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


def alias(w: Writer, env: Env) -> None:
    kind = w.random.choice(["list", "dict"])
    found = name(w, env, kind)
    if found is not None:
        made = w.fresh(kind[0])
        w.put(f"{made} = {found}")
        env.add(kind, made)


def delete(w: Writer, env: Env) -> None:
    found = [n for n in env.of("int") if own(env, n)]
    if found:
        gone = w.random.choice(found)
        w.put(f"del {gone}")
        if w.chance(0.9):
            env.drop(gone)


def assert_(w: Writer, env: Env) -> None:
    w.put(f"assert {boolean(w, env, 1)}" + (", 'told'" if w.chance(0.5) else "") if w.chance(0.25) else f"assert {integer(w, env, 0)} < 1000")


def leave(w: Writer, env: Env) -> None:
    guard = f"if {boolean(w, env, 1)}: " if w.chance(0.5) else ""
    options = (["break", "continue"] if env.in_loop else []) + ([f"return {integer(w, env, 1)}"] * 2 if env.in_function else [])
    w.put(guard + w.random.choice(options))


def object(w: Writer, env: Env) -> None:
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
            record(w, env)


def generator(w: Writer, env: Env) -> None:
    found = [r for r in w.routines if r.kind == "generator"]
    if not found:
        if w.depth == 0:
            definitions.generator(w, env)
        return
    made = w.fresh("it")
    w.put(f"{made} = {call(w, env, w.random.choice(found), 1)}" if w.chance(0.6) else f"{made} = iter({sequence(w, env, 1)})")
    env.generators.append(made)
    w.put(f"trace.append(next({made}, {const(w)}))")
