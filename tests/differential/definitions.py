"""Random functions, generators, closures and classes."""

from __future__ import annotations

from tests.differential.expressions import VALUES, boolean, const, integer
from tests.differential.writer import Env, Parameter, Routine, Type, Writer

_FORMS = (
    ("plain",), ("plain", "plain"), ("plain", "default"), ("only", "/", "plain"), ("plain", "star"), ("plain", "default", "star", "keyword", "double"),
    ("plain", "*", "keyword"), ("plain", "list"), ("default", "double"), ("plain", "*", "default"), ("star", "double"),
)  # fmt: skip

_ITER_WHOLE = ("    return iter(self.items)",)
_ITER_EACH = ("    for each in self.items:", "        trace.append('it')", "        yield each")


def _signature(w: Writer, env: Env) -> tuple[str, tuple[Parameter, ...]]:
    shown: list[str] = []
    made: list[Parameter] = []
    for form in w.random.choice(_FORMS):
        if form in "/*":
            shown.append(form)
            continue
        p = w.fresh("p")
        if form != "*":
            made.append(Parameter(p, form))
        match form:
            case "default":
                shown.append(f"{p}={integer(w, env, 1)}")
            case "list":
                shown.append(f"{p}=[]" if w.chance(0.5) else f"{p}=None")
            case "star":
                shown.append(f"*{p}")
            case "double":
                shown.append(f"**{p}")
            case _:
                shown.append(p)
    return ", ".join(shown), tuple(made)


def _inner(w: Writer, env: Env, parameters: tuple[Parameter, ...]) -> Env:
    inner = env.inner(in_function=True, in_loop=False, yields=False)
    inner.names["own"] = []
    inner.generators = []
    for p in parameters:
        match p.form:
            case "plain" | "default" | "keyword" | "only":
                inner.add("int", p.name)
            case "star":
                inner.add("tuple", p.name)
            case "double":
                pass
            case _:
                pass
    return inner


def _prologue(w: Writer, parameters: tuple[Parameter, ...]) -> None:
    for p in parameters:
        if p.form == "list":
            w.put(f"    {p.name} = [] if {p.name} is None else {p.name}" if w.chance(0.3) else f"    if {p.name} is not None: {p.name}.append(len({p.name}))")
        elif p.form == "double":
            w.put(f"    trace.append(sorted({p.name}))")


def routine(w: Writer, env: Env) -> None:
    from tests.differential.programs import block

    f = w.fresh("f")
    shown, parameters = _signature(w, env)
    outer = [n for n in env.of("int") if n[0] in "n" and not env.in_function]
    w.put(f"def {f}({shown}):")
    inner = _inner(w, env, parameters)
    if outer and w.chance(0.4) and w.depth == 0:
        held = w.random.choice(outer)
        w.put(f"    global {held}")
        inner.writable_outer = [held]
    _prologue(w, parameters)
    block(w, inner, 4)
    if w.chance(0.85):
        w.put(f"    return {integer(w, inner, 1)}")
        w.routines.append(Routine(f, parameters)) if w.depth == 0 else None
    else:
        w.put("    return 0")
    if w.depth:
        w.put(f"trace.append({_call_here(w, env, Routine(f, parameters))})")


def _call_here(w: Writer, env: Env, made: Routine) -> str:
    from tests.differential.expressions import call

    return call(w, env, made, 1)


def recursive(w: Writer, env: Env) -> None:
    f, p = w.fresh("f"), w.fresh("p")
    if w.depth:
        return routine(w, env)
    inner = env.inner(in_function=True, in_loop=False)
    inner.add("int", p)
    w.put(f"def {f}({p}, depth=4):")
    w.put(f"    if depth <= 0 or {boolean(w, inner, 1)}: return {integer(w, inner, 1)}")
    w.put(f"    return {f}({integer(w, inner, 1)}, depth - 1) + {integer(w, inner, 0)}")
    w.routines.append(Routine(f, (Parameter(p, "plain"),)))
    return None


def closure(w: Writer, env: Env) -> None:
    """A function that keeps a name of the function around it."""
    f, n, g, p = w.fresh("f"), w.fresh("n"), w.fresh("g"), w.fresh("p")
    inner = env.inner(in_function=True, in_loop=False)
    inner.add("int", p)
    w.put(f"def {f}({p}):")
    w.put(f"    {n} = {integer(w, inner, 1)}")
    w.put(f"    def {g}(d=1):")
    w.put(f"        nonlocal {n}")
    inner.add("int", n)
    if w.chance(0.5):
        w.put(f"        if {boolean(w, inner, 1)}: {n} += d")
        w.put(f"        else: {n} = {integer(w, inner, 1)}")
    else:
        w.put(f"        {n} += d")
    w.put(f"        return {integer(w, inner, 1)}")
    if w.chance(0.5):
        w.put(f"    {g}({integer(w, inner, 1)})")
        w.put(f"    return {n} + {g}()")
        if w.depth == 0:
            w.routines.append(Routine(f, (Parameter(p, "plain"),)))
        else:
            w.put(f"trace.append({f}({integer(w, env, 1)}))")
        return
    w.put(f"    return {g}, lambda: {n}")
    x, y = w.fresh("fn"), w.fresh("fn")
    w.put(f"{x}, {y} = {f}({integer(w, env, 1)})")
    w.put(f"trace.append(({x}(2), {x}(), {y}()))")
    if w.depth == 0:
        w.put(f"fs{n} = [lambda k, i=i: i + k for i in range(3)] + [lambda k: {x}(k) for _ in range(2)]")
        w.put(f"trace.append([each({const(w)}) for each in fs{n}])")


def generator(w: Writer, env: Env) -> None:
    from tests.differential.programs import block

    if w.depth:
        return routine(w, env)
    f = w.fresh("g")
    shown, parameters = _signature(w, env)
    w.put(f"def {f}({shown}):")
    inner = _inner(w, env, parameters)
    _prologue(w, parameters)
    w.depth += 1
    for _ in range(w.random.randint(1, 4)):
        match w.random.randrange(8):
            case 0 | 1:
                w.put(f"yield {integer(w, inner, 1)}")
            case 2:
                x = w.fresh("i")
                loop = inner.inner(in_loop=True, in_function=False)
                loop.add("int", x)
                w.put(f"for {x} in {w.random.choice([f'range({w.random.randint(0, 3)})', VALUES['list'](w, inner, 1)])}:")
                block(w, loop, 2)
                w.put(f"    yield {integer(w, loop, 1)}")
            case 3:
                w.put(f"yield from {VALUES['list'](w, inner, 1)}")
            case 4:
                others = [r for r in w.routines if r.kind == "generator"]
                w.put(f"yield from {_call_here(w, inner, w.random.choice(others))}" if others else f"yield {const(w)}")
            case 5:
                w.put(f"if {boolean(w, inner, 1)}:")
                w.put(f"    yield {integer(w, inner, 1)}")
                if w.chance(0.4):
                    w.put("    return")
            case 6:
                w.put("try:")
                w.put(f"    yield {integer(w, inner, 1)}")
                w.put(f"    trace.append({integer(w, inner, 1)})")
                if w.chance(0.3):
                    w.put("    raise ValueError")
                w.put("except ValueError:")
                w.put(f"    trace.append({const(w)})")
            case _:
                closed = inner.inner(in_function=False)
                block(w, closed, 2) if False else w.put(f"trace.append({integer(w, inner, 1)})")
    w.put(f"yield {integer(w, inner, 0)}")
    w.depth -= 1
    w.routines.append(Routine(f, parameters, "generator"))
    return None


def cls(w: Writer, env: Env) -> None:
    """A class with some of the members that Python's own operators use."""
    base = w.random.choice(w.types) if w.types and w.chance(0.6) else None
    made = Type(w.fresh("C"), base=base)
    w.put(f"class {made.name}{f'({base.name})' if base else ''}:")
    w.depth += 1
    w.put(f"k = {integer(w, env, 1)}")
    w.put(f"count = {const(w)}")
    if w.chance(0.3):
        w.put("table = [e * 2 for e in range(3)]")
        w.put(f"if {boolean(w, env, 1)}: k = k + 1" if w.chance(0.6) else "for each in range(2): count += each")
    me = env.inner(in_function=True, in_loop=False)
    me.names["own"] = []
    me.generators = []
    me.objects = []
    me.add("int", "self.v")
    with_d = me.inner()
    with_d.add("int", "d")
    if base is None:
        w.put("def __init__(self, v, w=2):")
        w.put("    self.v = v")
        w.put("    self.items = [v, w]")
        if w.chance(0.4):
            w.put(f"    if {boolean(w, me, 1)}: self.extra = w")
    elif w.chance(0.6):
        w.put("def __init__(self, v, *rest):")
        w.put(f"    super().__init__({w.random.choice(['v', 'v + 1', 'v, *rest'])})")
        w.put(f"    self.more = {integer(w, me, 1)}")
    if base is None or w.chance(0.6):
        _step(w, with_d, base is not None, made)
    for member, lines in _members(w, me, with_d, made):
        if w.chance(0.45):
            made.members.add(member)
            for line in lines:
                w.put(line)
    w.depth -= 1
    w.types.append(made)


def _step(w: Writer, env: Env, derived: bool, made: Type) -> None:
    from tests.differential.programs import block

    w.put("def step(self, d):")
    w.put(f"    {'self' if w.chance(0.6) else made.name}.{w.random.choice(['v', 'count'])} {w.random.choice(['+=', '='])} {integer(w, env, 1)}")
    w.budget += 2
    before, w.types = w.types, []
    block(w, env, 2)
    w.types = before
    w.put(f"    return {'super().step(d) + ' if derived and w.chance(0.6) else ''}{integer(w, env, 1)}")


def _members(w: Writer, me: Env, with_d: Env, made: Type) -> list[tuple[str, list[str]]]:
    def i() -> str:
        return integer(w, me, 1)

    def j() -> str:
        return integer(w, with_d, 1)

    return [
        ("property", ["@property", "def double(self):", f"    return {i()}", "@double.setter", "def double(self, d):", f"    self.v = {j()}"]),
        ("static", ["@staticmethod", "def helper(d):", "    return d * 2 - 1"]),
        ("make", ["@classmethod", "def make(cls, d):", "    cls.count += 1", "    return cls(d)"]),
        ("getitem", ["def __getitem__(self, d):", "    if d > 4 or d < 0: raise IndexError(d)", f"    return {j()}"]),
        ("setitem", ["def __setitem__(self, key, d):", f"    self.items.append({j()})"]),
        ("call", ["def __call__(self, d, *rest):", f"    return {j()} + len(rest)"]),
        ("add", ["def __add__(self, d):", "    if not isinstance(d, int): return NotImplemented", f"    return {made.name}({j()})", "__radd__ = __add__",
            "def __neg__(self):", f"    return {made.name}(-self.v)"]),
        ("iadd", ["def __iadd__(self, d):", "    self.v += d", "    return self"]),
        ("len", ["def __len__(self):", "    return len(self.items)"]),
        ("iter", ["def __iter__(self):", *(_ITER_WHOLE if w.chance(0.5) else _ITER_EACH)]),
        ("contains", ["def __contains__(self, d):", f"    return {boolean(w, with_d, 1)}"]),
        ("eq", ["def __eq__(self, other):", f"    return isinstance(other, {made.name}) and self.v == other.v"]),
        ("lt", ["def __lt__(self, other):", "    return self.v < other.v"]),
        ("bool", ["def __bool__(self):", f"    return {boolean(w, me, 1)}"]),
        ("enter", ["def __enter__(self):", f"    trace.append({i()})", "    return self", "def __exit__(self, kind, value, where):",
            "    trace.append(kind is None)", f"    return {w.random.choice(['False', 'kind is ValueError', 'None', boolean(w, me, 1)])}"]),
    ]  # fmt: skip
