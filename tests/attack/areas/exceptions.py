"""Exceptions: which class each library raises, seen by the handlers of a program."""

from __future__ import annotations

from tests.attack.drawing import Draw

RAISED = (
    ("torch.zeros(3) + torch.zeros(4)", "RuntimeError"), ("torch.zeros(3).sum(dim=5)", "IndexError"), ("torch.zeros(2, 3) @ torch.zeros(2, 3)", "RuntimeError"),
    ("torch.zeros(3)[5]", "IndexError"), ("torch.zeros(2, 3).view(7)", "RuntimeError"), ("torch.cat([torch.zeros(2, 3), torch.zeros(3, 2)])", "RuntimeError"),
    ("torch.stack([torch.zeros(2), torch.zeros(3)])", "RuntimeError"), ("torch.zeros(3).item()", "RuntimeError"), ("torch.zeros(3).missing", "AttributeError"),
    ("torch.zeros(2).unsqueeze(5)", "IndexError"), ("torch.zeros(2, 2).permute(0, 0)", "RuntimeError"), ("torch.zeros('a')", "TypeError"), ("torch.tensor([[1], [2, 3]])", "ValueError"),
    ("nn.Linear(3, 2)(torch.zeros(4, 5))", "RuntimeError"), ("nn.Linear(3)", "TypeError"), ("nn.Linear(3, 2)(torch.zeros(4, 3), 1)", "TypeError"),
    ("F.cross_entropy(torch.zeros(3, 2), torch.zeros(4, dtype=torch.long))", "ValueError"), ("F.cross_entropy(torch.zeros(3, 2), torch.tensor([0, 1, 2]))", "IndexError"),
    ("nn.Embedding(3, 2)(torch.tensor([3]))", "IndexError"), ("nn.Conv2d(3, 4, 3)(torch.zeros(1, 2, 8, 8))", "RuntimeError"), ("nn.Conv2d(3, 4, 3, groups=2)", "ValueError"),
    ("nn.BatchNorm2d(3)(torch.zeros(2, 3))", "ValueError"), ("nn.BatchNorm1d(3)(torch.zeros(1, 3))", "ValueError"), ("nn.MultiheadAttention(5, 2)", "AssertionError"),
    ("F.binary_cross_entropy(torch.rand(3), torch.rand(4))", "ValueError"), ("F.mse_loss(torch.zeros(3), torch.zeros(4))", "RuntimeError"), ("bool(torch.zeros(2))", "RuntimeError"),
    ("int(torch.zeros(2))", "RuntimeError"), ("float(torch.zeros(2))", "RuntimeError"), ("len(torch.tensor(1))", "TypeError"), ("list(torch.tensor(1))", "TypeError"),
    ("torch.zeros(2).numpy().reshape(3)", "ValueError"), ("np.zeros(3) + np.zeros(4)", "ValueError"), ("np.zeros((2, 3)) @ np.zeros((2, 3))", "ValueError"),
    ("np.zeros(3)[4]", "IndexError"), ("np.concatenate([np.zeros((2, 3)), np.zeros(3)])", "ValueError"), ("np.zeros(3).sum(axis=2)", "AxisError"), ("np.stack([np.zeros(2), np.zeros(3)])", "ValueError"),
    ("np.zeros((2, 3)).reshape(7)", "ValueError"), ("np.zeros(3).missing", "AttributeError"), ("{}['a']", "KeyError"), ("[][0]", "IndexError"), ("int('a')", "ValueError"), ("1 // 0", "ZeroDivisionError"),
    ("nn.ModuleDict()['a']", "KeyError"), ("nn.Sequential()[0]", "IndexError"), ("nn.ModuleList()[1]", "IndexError"), ("getattr(nn, 'Linaer')", "AttributeError"),
    ("torch.randn(3, requires_grad=True).numpy()", "RuntimeError"), ("torch.zeros(2).backward()", "RuntimeError"), ("torch.nn.Parameter(torch.zeros(2, dtype=torch.long))", "RuntimeError"),
    ("torch.optim.SGD([], lr=0.1)", "ValueError"), ("torch.optim.Adam(nn.Linear(2, 2).parameters(), lr=-1)", "ValueError"), ("torch.optim.Adam(nn.Linear(2, 2), lr=0.1)", "TypeError"),
    ("nn.Linear(2, 3).load_state_dict(nn.Linear(3, 3).state_dict())", "RuntimeError"), ("nn.Linear(2, 3).load_state_dict({})", "RuntimeError"), ("nn.Module()(1)", "NotImplementedError"),
    ("next(iter([]))", "StopIteration"), ("a, b = torch.zeros(3)", "ValueError"), ("a, b = [1, 2, 3]", "ValueError"), ("torch.zeros(2, 3).squeeze(4)", "IndexError"), ("torch.zeros(3).expand(2, 4)", "RuntimeError"),
    ("torch.arange(3).mean()", "RuntimeError"), ("torch.zeros(2, 3).T @ torch.zeros(3, dtype=torch.long)", "RuntimeError"), ("torch.eye(2, 3).inverse()", "RuntimeError"), ("torch.linalg.inv(torch.zeros(2, 3))", "RuntimeError"),
    ("torch.einsum('ij,jk->ik', torch.zeros(2, 3), torch.zeros(2, 3))", "RuntimeError"), ("torch.zeros(4).chunk(0)", "RuntimeError"), ("torch.zeros(4).split(-1)", "RuntimeError"), ("torch.zeros(4).split([1, 2])", "RuntimeError"),
    ("torch.gather(torch.zeros(2, 2), 0, torch.zeros(2, 2))", "RuntimeError"), ("torch.gather(torch.zeros(2, 2), 0, torch.full((2, 2), 5))", "RuntimeError"), ("torch.zeros(2, 3).index_select(0, torch.tensor([2]))", "IndexError"),
    ("F.one_hot(torch.tensor([3]), 2)", "RuntimeError"), ("F.pad(torch.zeros(3), (1, 1, 1, 1))", "RuntimeError"), ("F.interpolate(torch.zeros(1, 3, 4), scale_factor=2, mode='bilinear')", "NotImplementedError"), ("F.max_pool2d(torch.zeros(1, 1, 2, 2), 5)", "RuntimeError"),
    ("nn.LSTM(3, 4)(torch.zeros(5, 2, 7))", "RuntimeError"), ("nn.GRU(3, 4)(torch.zeros(5, 2, 3), torch.zeros(1, 3, 4))", "RuntimeError"), ("nn.LayerNorm(3)(torch.zeros(2, 4))", "RuntimeError"), ("nn.GroupNorm(2, 3)", "ValueError"),
    ("nn.Flatten()(torch.zeros(3))", "IndexError"), ("nn.CrossEntropyLoss()(torch.zeros(2, 3), torch.zeros(2, dtype=torch.int32))", "RuntimeError"), ("nn.BCELoss()(torch.tensor([2.0]), torch.tensor([1.0]))", "RuntimeError"),
    ("torch.utils.data.DataLoader([1, 2], batch_size=0)", "ValueError"), ("torch.utils.data.TensorDataset(torch.zeros(2), torch.zeros(3))", "AssertionError"), ("torch.utils.data.random_split([1, 2, 3], [1, 1])", "ValueError"),
    ("next(iter(torch.utils.data.DataLoader([torch.zeros(2), torch.zeros(3)], batch_size=2)))", "RuntimeError"), ("nn.init.xavier_uniform_(torch.zeros(3))", "ValueError"), ("torch.from_numpy([1, 2])", "TypeError"), ("torch.tensor(object())", "RuntimeError"),
    ("torch.zeros(3) @ torch.zeros(4)", "RuntimeError"), ("torch.zeros(()) @ torch.zeros(3)", "RuntimeError"), ("torch.zeros(2, 3).mm(torch.zeros(3))", "RuntimeError"), ("torch.zeros(2, 3).bmm(torch.zeros(2, 3))", "RuntimeError"), ("torch.zeros(3).t().mm(torch.zeros(3))", "RuntimeError"),
)  # fmt: skip
RUNNING = (
    "torch.zeros(3) + torch.zeros(3)",
    "torch.zeros(2, 3).view(6)",
    "nn.Linear(3, 2)(torch.zeros(4, 3))",
    "np.zeros(3) + np.zeros(1)",
    "{'a': 1}['a']",
    "F.mse_loss(torch.zeros(3), torch.zeros(3))",
    "torch.zeros(3)[-1]",
)
CLASSES = (
    "RuntimeError",
    "ValueError",
    "TypeError",
    "IndexError",
    "KeyError",
    "AttributeError",
    "AssertionError",
    "NotImplementedError",
    "StopIteration",
    "ZeroDivisionError",
    "LookupError",
    "ArithmeticError",
    "Exception",
    "(ValueError, IndexError)",
    "(TypeError, RuntimeError)",
)
PARENTS = {
    "IndexError": ("LookupError",),
    "KeyError": ("LookupError",),
    "ZeroDivisionError": ("ArithmeticError",),
    "NotImplementedError": ("RuntimeError",),
    "AxisError": ("ValueError", "IndexError"),
}


def draw(d: Draw) -> None:
    d.line("import torch", "from torch import nn", "import torch.nn.functional as F", "import numpy as np")
    statement, raised = d.pick(*RAISED)
    caught = d.pick(raised, *PARENTS.get(raised, ()), "Exception") if raised != "AxisError" else d.pick("ValueError", "IndexError", "Exception")
    handler = d.wrong(caught, *CLASSES)
    match d.rng.randrange(7):
        case 0:
            with d.block("try:"):
                d.line(statement)
            with d.block(f"except {handler}{d.pick('', ' as error')}:"):
                d.line("pass")
        case 1:
            d.line("done = []")
            with d.block("try:"):
                d.line(statement, "done.append(1)")
            with d.block(f"except {handler}:"):
                d.line("done.append(2)")
            with d.block("finally:"):
                d.line("done.append(3)")
            d.line(f"print(torch.zeros(len(done)).reshape({d.wrong(2, 3)}))")
        case 2:
            d.line("from contextlib import suppress")
            with d.block(f"with suppress({handler.strip('()')}):"):
                d.line(statement)
            d.line(f"print({d.pick(*RUNNING)})")
        case 3:
            with d.block("def safe():"):
                with d.block("try:"):
                    d.line(statement, "return 1")
                with d.block(f"except {handler}:"):
                    d.line("return 2")
            d.line(f"print(torch.zeros(safe()).reshape({d.wrong(2, 1)}))")
        case 4:
            with d.block("try:"), d.block("try:"):
                d.line(statement)
            d.lines += [
                "    " * d.depth + f"    except {handler} as error:",
                "    " * d.depth + f"        raise {d.pick('OSError', 'LookupError')}(str(error)) from error",
            ]
            with d.block(f"except {d.wrong('(OSError, LookupError)', 'EOFError')}:"):
                d.line("print('outer')")
        case 5:
            with d.block("try:"):
                d.line(d.pick(*RUNNING))
            with d.block(f"except {d.pick(*CLASSES)}:"):
                d.line("print(missing)")
            with d.block("else:"):
                d.line(d.wrong(d.pick(*RUNNING), statement))
        case _:
            with d.block("for attempt in range(2):"):
                with d.block("try:"):
                    d.line(statement if d.often() else d.pick(*RUNNING))
                with d.block(f"except {handler}:"):
                    d.line("continue")
                d.line("print(attempt)")
