"""Classes of the program: protocols, properties, inheritance, dataclasses, decorators, generators, context managers."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import torch")
    compose(d, (protocols, properties, dataclass, decorators, matching, contexts, classes, generators, defaults), 3)


def protocols(d: Draw) -> None:
    a, b, _c = d.sizes(3)
    match d.rng.randrange(6):
        case 0:
            with d.block("class Bag:"):
                d.line(
                    "def __init__(self, items):",
                    "    self.items = items",
                    "def __len__(self):",
                    "    return len(self.items)",
                    f"def {d.wrong('__getitem__', '__getitems__')}(self, i):",
                    "    return self.items[i]",
                )
            d.line(f"bag = Bag([torch.zeros({a}) for _ in range({b})])", "x = torch.stack([t for t in bag])")
            d.same("x", [b, a])
        case 1:
            with d.block("class Box:"):
                d.line("def __init__(self, x):", "    self.x = x", f"def {d.wrong('__add__', '__radd__')}(self, other):", "    return Box(self.x + other.x)")
            d.line(f"y = (Box(torch.zeros({a})) + Box(torch.zeros({d.wrong(a, b)}))).x")
            d.same("y", [a])
        case 2:
            with d.block("class Call:"):
                d.line("n = 2", "def __call__(self, x, *, k=1):", "    return x.repeat(k * self.n)")
            d.line(f"y = Call()({d.wrong(f'torch.zeros({a}), k=2', f'torch.zeros({a}), 2', 'k=2')})")
            d.same("y", [4 * a])
        case 3:
            with d.block("class Many:"):
                d.line("def __iter__(self):", f"    for i in range({b}):", f"        yield torch.zeros({d.wrong(str(a), 'i + 1')})")
            d.line("x = torch.stack(list(Many()))")
            d.same("x", [b, a])
        case 4:
            with d.block("class Lazy:"):
                d.line("def __getattr__(self, name):", '    if name == "size":', f"        return {a}", "    raise AttributeError(name)")
            d.line(
                f"print(torch.zeros(Lazy().{d.wrong('size', 'width')}).reshape({d.wrong(a, b)}), hasattr(Lazy(), 'x'), getattr(Lazy(), 'y'{d.wrong(', 3', '')}))"
            )
        case _:
            d.line(f"x = torch.zeros({a}, {b})", f"if {d.wrong('x.sum() == 0', 'x == 0', 'x')}:", "    print('zero')")


def properties(d: Draw) -> None:
    a, b, _c = d.sizes(3)
    with d.block("class Config:"):
        d.line(
            d.wrong(f"width = {a}", f"width = {b}"),
            "def __init__(self, heads):",
            "    self.heads = heads",
            d.wrong("@property", "@staticmethod", "") or "# plain",
            "def inner(self):",
            "    return self.width * self.heads",
            "@classmethod",
            f"def small(cls{d.pick('', ', heads=2')}):",
            f"    return cls({d.wrong('2', '')})",
        )
    d.line("cfg = Config.small()", "x = torch.zeros(3, cfg.inner)")
    d.same("x", [3, 2 * a])


def dataclass(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "from dataclasses import dataclass, field, replace",
        f"@dataclass{d.pick('', '(frozen=True)')}",
        "class Cfg:",
        "    n: int",
        f"    m: int = {b}",
        f"    sizes: list = {d.wrong('field(default_factory=list)', '[]')}",
    )
    d.line(
        f"cfg = Cfg({d.wrong(str(a), '')})",
        f"cfg = replace(cfg, {d.wrong('m', 'k')}={b + 1})",
        f"print(torch.zeros(cfg.n, cfg.m).reshape({d.wrong(b + 1, 97)}, {a}))",
    )


def decorators(d: Draw) -> None:
    a, _b = d.sizes(2)
    d.line(
        "import functools",
        "def twice(f):",
        "    @functools.wraps(f)",
        "    def inner(*args, **kwargs):",
        f"        return {d.wrong('torch.cat([f(*args, **kwargs), f(*args, **kwargs)])', 'torch.cat(f(*args, **kwargs), f(*args, **kwargs))')}",
        f"    return {d.wrong('inner', 'inner()')}",
        "@twice",
        "def make(n):",
        "    return torch.zeros(n)",
        f"f = functools.partial(make, {a})" if d.often() else f"f = lambda: make({a})",
    )
    d.same("f()", [2 * a])


def matching(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "def build(spec):",
        "    match spec:",
        '        case ("dense", n):',
        "            return torch.zeros(n)",
        '        case {"size": n, "kind": "square"}:',
        "            return torch.zeros(n, n)",
        "        case _:",
        f"            {d.pick('raise ValueError(spec)', 'return None')}",
    )
    d.line(f"x = build({d.wrong(repr(('dense', a)), repr(('conv', a)))})", f"print(x.reshape({d.wrong(a, b)}), build({{'size': {b}, 'kind': 'square'}}).shape)")


def contexts(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "from contextlib import contextmanager, suppress, nullcontext",
        "@contextmanager",
        "def sized(n):",
        "    yield torch.zeros(n)",
        f"with {d.wrong('sized', 'nullcontext')}({a}) as x:",
        f"    print(x.reshape({d.wrong(a, b)}))",
    )
    if d.often():
        d.line(f"with suppress({d.wrong('KeyError', 'ValueError')}):", "    {}['x']")


def classes(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        "class Base:",
        "    size = 1",
        "    def build(self):",
        "        return torch.zeros(self.size, self.width())",
        "    def width(self):",
        f"        {d.wrong(f'return {a}', 'raise NotImplementedError')}",
    )
    d.line(
        "class Child(Base):",
        f"    size = {b}",
        f"    def {d.wrong('build', 'builds')}(self, scale=1):",
        f"        return {d.wrong('super().build()', 'super().builder()', 'Base.build()')} * scale",
    )
    d.line("x = Child().build(scale=2)")
    d.same("x", [b, a])


def generators(d: Draw) -> None:
    a, b = d.sizes(2)
    match d.rng.randrange(3):
        case 0:
            d.line(
                "def batches(n):",
                "    for i in range(n):",
                f"        yield torch.zeros({a}), i",
                "    return",
                f"it = batches({b})",
                f"for _ in range({d.wrong(b, b + 1)}):",
                "    x, i = next(it)",
                f"print(torch.zeros(i).reshape({d.wrong(b - 1, b)}))",
            )
        case 1:
            d.line("def pairs():", f"    yield from [(torch.zeros({a}), torch.zeros({d.wrong(a, b)}))] * 2", "print([p + q for p, q in pairs()])")
        case _:
            d.line(
                "import itertools",
                f"for x, y in itertools.{d.wrong('zip_longest', 'zip_longests')}([1, 2], [{d.wrong('3, 4', '3')}]):",
                "    print(torch.zeros(x) @ torch.zeros(y - 2))" if False else "    print(torch.zeros(x, y).shape)",
            )


def defaults(d: Draw) -> None:
    a, b = d.sizes(2)
    match d.rng.randrange(3):
        case 0:
            d.line(
                "def keep(x, seen=[]):",
                "    seen.append(x)",
                "    return seen",
                f"keep(torch.zeros({a}))",
                f"y = torch.stack(keep(torch.zeros({d.wrong(a, b)})))",
            )
            d.line(f"print(y.reshape(-1, {a}))")
        case 1:
            d.line(
                f"def f(x, n={a}, *, dim=-1):",
                "    return x.sum(dim).expand(n)",
                f"print(f(torch.ones({b}){d.wrong('', ', 2, 1')}, dim={d.wrong('0', '3')}).reshape({a}))",
            )
        case _:
            d.line(
                "def f(x=None):",
                f"    x = {d.wrong(f'torch.zeros({a}) if x is None else x', 'x')}",
                "    return x.shape[0]",
                f"print(torch.zeros(f()).reshape({d.wrong(a, b)}))",
            )
