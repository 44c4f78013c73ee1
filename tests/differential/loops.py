"""Programs of long loops: counters, sums, lists that grow, rounds that differ, effects through attributes and globals. Skipping rounds must not show."""

from __future__ import annotations

import random

_BODY = (
    "n += 1",
    "n += {i}",
    "n = {i} * 2",
    "m = n + {k}",
    "n -= {k}",
    "l.append({i})",
    "l.append({i} * 2 - n)",
    "l.append(0)",
    "l.append((n, {i}))",
    "l.append(None)",
    "l += [n, {k}]",
    "box.v += 1",
    "box.v = {i}",
    "box.items.append({i})",
    "tick()",
    "d['a'] += 1",
    "d['a'] = {i}",
    "d[{i}] = n",
    "s = 'x' * ({i} % 3)",
    "last = {i}",
    "flag = {i} > {k}",
    "flag = not flag",
    "if {i} == {k}: n += 100",
    "if {i} == {k}: break",
    "if {i} == {k}: continue",
    "if {i} % 7 == 3: l.append(-1)",
    "if len(l) == {k}: m += 50",
    "if len(l) > {k}: l.pop()",
    "m = l[-1] if l else 0",
    "if n > {big}: n = 0",
    "if box.v == {k}: l.append('box')",
    "old, cur = cur, {i}",
    "cur = [n]",
    "l2 = l",
    "l2.append(n)",
    "n = n + (1 if {i} < {big} else 2)",
    "n = max(n, {i})",
    "n %= 1000",
    "q = {i}; q += 1",
    "total = total + {i} * {k}",
    "for j in range({inner}): m += 1",
    "for j in range({inner}): l.append(j)",
    "for j in range(8):\n        if j == {i}: break\n        m += j",
    "t = ({i}, n)",
    "x = {i} / 2",
    "f = lambda: {i}",
    "m += next(gen)",
    "try:\n        m += 10 // ({i} - {k})\n    except ZeroDivisionError: m = -5",
    "n += 1 if {i} in (3, 90) else 0",
    "del l[:1]",
    "if {i} == {k}: raise ValueError",
    "assert {i} < 290",
    "n += d.get({i}, 1)",
    "m = sum(l[-3:])",
    "a, b = b, a + 1",
    "{i} = {i} + 1",
    "r.append({i}) if {i} > {k} else None",
)
_START = """n = m = total = a = b = old = cur = last = 0
flag = False
l, l2, r = [], [], []
d = {'a': 0}
class Box:
    v = 0
    def __init__(self):
        self.items = []
box = Box()
calls = 0
def tick():
    global calls
    calls += 1
def counting():
    at = 0
    while True:
        yield at
        at += 1
gen = counting()
"""


def program(seed: int) -> str:
    r = random.Random(seed)
    i = "i"
    head = r.choice(
        [
            "for i in range({n}):",
            "for i in range(2, {n}, 3):",
            "for i in range({n}, 0, -1):",
            "for i, j in enumerate(range({n})):",
            "for i, j in zip(range({n}), range(5, 400)):",
            "for i in list(range({n})):",
            "it = iter(range({n}))\nfor i in it:",
        ]
    ).format(n=r.choice([6, 7, 9, 12, 40, 100, 300]))
    lines = [
        r.choice(_BODY).format(i=i, k=r.choice([0, 2, 5, 11, 35, 97]), big=r.choice([20, 50, 200]), inner=r.choice([2, 7, 20])) for _ in range(r.randint(1, 4))
    ]
    body = "\n".join("    " + line for line in lines)
    if r.random() < 0.4:
        inside = "\n".join("    " + line for line in f"{head}\n{body}".splitlines())
        names = "n, m, total, a, b, old, cur, last, flag"
        call = "run()" if r.random() < 0.5 else "out = [run() for _ in range(2)]"
        return f"{_START}def run():\n    n = m = total = a = b = old = cur = last = 0\n    flag = False\n    l2 = []\n{inside}\n    return ({names})\n{call}\n"
    tail = "else:\n    m += 7\n" if r.random() < 0.3 else ""
    return f"{_START}{head}\n{body}\n{tail}"
