"""Single edits of a PyTorch program, by kind: each is one slip that people make, as a replacement of a piece of its text."""

from __future__ import annotations

import ast
from itertools import pairwise

from tf_mutants_edits import Edit, Finder, named, numbers, whole

CREATED = ("randn", "rand", "zeros", "ones", "randint", "full", "empty")
POSITIONS: dict[str, tuple[str, ...]] = {
    "Linear": ("linear input", "linear output"), "Conv1d": ("channels in", "channels out", "kernel", "stride", "padding"),
    "Conv2d": ("channels in", "channels out", "kernel", "stride", "padding"), "ConvTranspose2d": ("channels in", "channels out", "kernel", "stride", "padding"),
    "BatchNorm2d": ("norm size",), "BatchNorm1d": ("norm size",), "LayerNorm": ("norm size",), "GroupNorm": ("groups", "norm size"),
    "Embedding": ("embedding", "embedding"), "LSTM": ("recurrent size", "recurrent size"), "GRU": ("recurrent size", "recurrent size"),
    "RNN": ("recurrent size", "recurrent size"), "MaxPool2d": ("pool", "pool"), "AvgPool2d": ("pool",), "max_pool2d": ("", "pool"), "avg_pool2d": ("", "pool"),
    "AdaptiveAvgPool2d": ("pool",), "MultiheadAttention": ("heads", "heads"), "TransformerEncoderLayer": ("heads", "heads"),
}  # fmt: skip
KEYWORDS = {
    "kernel_size": "kernel", "stride": "stride", "padding": "padding", "groups": "groups", "dim": "another dim", "dilation": "kernel", "batch_size": "batch",
    "num_layers": "recurrent size", "padding_idx": "embedding", "ignore_index": "loss option", "num_classes": "named number",
}  # fmt: skip
FLAGS = {"batch_first": "batch first", "bidirectional": "bidirectional", "bias": "bias", "keepdim": "keepdim", "drop_last": "batch", "inplace": "in place"}
RESHAPES = {"view": "dropped reshape", "reshape": "dropped reshape", "flatten": "dropped flatten", "squeeze": "dropped squeeze",
            "unsqueeze": "dropped unsqueeze", "permute": "dropped permute", "transpose": "dropped permute", "t": "dropped permute",
            "contiguous": "dropped contiguous", "float": "dropped cast", "long": "dropped cast", "detach": "dropped detach", "expand": "dropped reshape",
            "repeat": "dropped reshape", "item": "dropped item", "mean": "dropped reduction", "sum": "dropped reduction", "softmax": "dropped activation"}  # fmt: skip
DIMS = {"transpose", "permute", "squeeze", "unsqueeze", "softmax", "flatten", "mean", "sum", "argmax", "max", "cumprod", "stack", "cat", "log_softmax"}
LOSSES = {"cross_entropy": "binary_cross_entropy_with_logits", "mse_loss": "cross_entropy", "binary_cross_entropy": "cross_entropy", "nll_loss": "mse_loss",
          "CrossEntropyLoss": "BCEWithLogitsLoss", "BCELoss": "CrossEntropyLoss", "MSELoss": "CrossEntropyLoss", "BCEWithLogitsLoss": "NLLLoss",
          "SmoothL1Loss": "CrossEntropyLoss", "NLLLoss": "BCELoss"}  # fmt: skip
FUNCTIONS = {"cat": "stack", "stack": "cat", "mm": "mul", "bmm": "mm", "matmul": "mul", "max_pool2d": "max_pool1d", "Conv2d": "Conv1d", "BatchNorm2d": "BatchNorm1d",
             "MaxPool2d": "MaxPool1d", "BatchNorm1d": "BatchNorm2d", "GRU": "LSTM", "LSTM": "GRU", "ModuleList": "Sequential", "argmax": "max", "view": "reshape"}  # fmt: skip
DTYPES = {"long": "float32", "float": "int64", "float32": "int64", "int64": "float32", "float64": "float32"}


def edits(text: str) -> list[Edit]:
    """Every single edit of a program."""
    finder = TorchFinder(text)
    for node in ast.walk(ast.parse(text)):
        finder.visit_one(node)
    seen: dict[tuple[int, int, str], Edit] = {}
    for edit in finder.found:
        if text[edit.start : edit.stop] != edit.new:
            seen.setdefault((edit.start, edit.stop, edit.new), edit)
    return sorted(seen.values(), key=lambda e: (e.start, e.stop, e.new))


class TorchFinder(Finder):
    """Collects the edits of one program."""

    def visit_one(self, node: ast.AST) -> None:
        match node:
            case ast.Call():
                self.torch_call(node)
            case ast.Subscript():
                self.index(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()) if name in {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}:
                self.add("dropped layer", node, "pass")
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=first), op=ast.Add(), right=right)) if name == first:
                self.add("in place", node, f"{name} += {self.said(right)}")
            case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=int() as value)) if not isinstance(value, bool) and value > 1:
                for n in numbers(value)[:2]:
                    self.add("named number", node.value, str(n))
            case ast.AnnAssign(value=ast.Constant(value=int() as value)) if node.value is not None and not isinstance(value, bool):
                for n in numbers(value)[:2]:
                    self.add("named number", node.value, str(n))
            case ast.Assign(targets=[ast.Tuple(elts=names)]) if len(names) > 1 and all(isinstance(n, ast.Name) for n in names):
                self.add("unpacking", node.targets[0], ", ".join(self.said(n) for n in names[:-1]))
                self.add("unpacking", node.targets[0], ", ".join([self.said(n) for n in names] + ["extra"]))
            case ast.BinOp(op=ast.MatMult()):
                self.add("swapped operands", node, f"{self.said(node.right)} @ {self.said(node.left)}")
                self.add("another function", node, f"{self.said(node.left)} * {self.said(node.right)}")
            case ast.BinOp(op=ast.Mult() | ast.FloorDiv(), right=ast.Constant(value=int() as value)) if value > 1:
                self.add("factor", node, self.said(node.left))
                self.add("factor", node.right, str(value + 1))
            case ast.Return(value=ast.Tuple(elts=[first, *_])):
                self.add("dropped result", node.value, self.said(first))
            case ast.FunctionDef(args=arguments) if node.name not in ("forward", "main"):
                self.defaults(arguments)
            case ast.Attribute(value=ast.Name(id="self"), attr=word, ctx=ast.Load()) if len(word) > 2:
                self.add("misspelt attribute", node, f"self.{word[:-1] if word[-1].isdigit() else word + '1'}")
            case ast.Attribute(attr=word, value=ast.Name(id="torch")) if word in DTYPES:
                self.add("another dtype", node, f"torch.{DTYPES[word]}")
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="__init__"))):
                self.add("dropped super", node, "pass")
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="backward" as word))):
                self.add("backward", node, f"{self.said(node)}\n{' ' * node.col_offset}{self.said(node)}")
            case ast.With(items=[ast.withitem(context_expr=ast.Call(func=ast.Attribute(attr="no_grad")))]):
                self.add("grad mode", node.items[0].context_expr, "torch.enable_grad()")
            case _:
                pass

    def defaults(self, arguments: ast.arguments) -> None:
        for value in arguments.defaults:
            number = whole(value)
            if number is not None and number > 1:
                self.number("named number", value, number)

    def torch_call(self, node: ast.Call) -> None:
        name = named(node.func)
        self.positions(node, name)
        self.keywords(node)
        self.methods(node, name)
        self.layers(node, name)
        self.arguments_of(node, name)
        if isinstance(node.func, ast.Attribute):
            owner = self.said(node.func.value)
            if name in LOSSES:
                self.add("another loss", node.func, f"{owner}.{LOSSES[name]}")
            if name in FUNCTIONS:
                self.add("another function", node.func, f"{owner}.{FUNCTIONS[name]}")
            if owner == "torch" and name in CREATED:
                for argument in node.args:
                    self.sized(argument)

    def sized(self, argument: ast.expr) -> None:
        if (value := whole(argument)) is not None and value > 0:
            self.number("data size", argument, value)
        elif isinstance(argument, ast.Tuple):
            for item in argument.elts:
                self.sized(item)

    def positions(self, node: ast.Call, name: str) -> None:
        for kind, argument in zip(POSITIONS.get(name, ()), node.args):
            value = whole(argument)
            if kind and value is not None:
                self.number(kind, argument, value)
            elif kind and isinstance(argument, (ast.Name, ast.BinOp, ast.Attribute)):
                self.add(kind, argument, f"{self.said(argument)} + 1")
                self.add(kind, argument, f"({self.said(argument)}) * 2")
        if name in ("Linear", "Conv2d", "Conv1d", "LSTM", "GRU", "Embedding") and len(node.args) >= 2:
            first, second = node.args[:2]
            self.replaced("swapped sizes", first, second)

    def replaced(self, kind: str, first: ast.expr, second: ast.expr) -> None:
        if self.said(first) != self.said(second):
            self.found.append(Edit(kind, self.span(first)[0], self.span(second)[1], f"{self.said(second)}, {self.said(first)}", first.lineno))

    def keywords(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            value = whole(keyword.value)
            if keyword.arg in FLAGS and isinstance(keyword.value, ast.Constant):
                self.add(FLAGS[keyword.arg], keyword.value, str(not keyword.value.value))
            elif keyword.arg in KEYWORDS and value is not None:
                for n in (0, 1, 2, -1, 5) if keyword.arg == "dim" else numbers(value):
                    self.add(KEYWORDS[keyword.arg], keyword.value, str(n))
            elif value is not None and value > 1:
                self.number("named number", keyword.value, value)
            if keyword.arg is not None:
                start = self.span(keyword)[0]
                self.found.append(Edit("misspelt keyword", start, start + len(keyword.arg), keyword.arg + "s", node.lineno))

    def methods(self, node: ast.Call, name: str) -> None:
        if not isinstance(node.func, ast.Attribute):
            return
        owner = self.said(node.func.value)
        if name in RESHAPES and owner not in ("torch", "F", "nn"):
            self.add(RESHAPES[name], node, owner)
        elif name in RESHAPES and owner in ("torch", "F") and node.args:
            self.add(RESHAPES[name], node, self.said(node.args[0]))
        if name in DIMS:
            for argument in node.args:
                if whole(argument) is not None:
                    for n in (0, 1, 2, -1, 4):
                        self.add("another dim", argument, str(n))
            listed = [a for a in node.args if whole(a) is not None]
            for a, b in pairwise(listed):
                self.replaced("swapped axes", a, b)
        if name in ("view", "reshape"):
            sizes = [a for a in node.args if not isinstance(a, ast.Starred)]
            for a, b in pairwise(sizes):
                self.replaced("swapped axes", a, b)
            for argument in sizes:
                if (value := whole(argument)) is not None and value > 0:
                    self.number("view size", argument, value)
            if len(sizes) > 1:
                self.found.append(Edit("view size", self.span(sizes[0])[0], self.span(sizes[1])[0], "", node.lineno))
        if name in ("zero_grad", "step"):
            self.add("dropped step", node, "None")

    def layers(self, node: ast.Call, name: str) -> None:
        if name == "Sequential":
            for layer, following in zip(node.args, [*node.args[1:], None]):
                if not isinstance(layer, ast.Starred):
                    end = self.span(following)[0] if following is not None else self.span(layer)[1]
                    self.found.append(Edit("dropped layer", self.span(layer)[0], end, "", layer.lineno))
            for a, b in pairwise(node.args):
                if not isinstance(a, ast.Starred) and not isinstance(b, ast.Starred):
                    self.replaced("swapped layers", a, b)
        elif len(node.args) == 1 and isinstance(node.func, ast.Attribute) and self.said(node.func).startswith("self."):
            self.add("dropped layer", node, self.said(node.args[0]))

    def arguments_of(self, node: ast.Call, name: str) -> None:
        plain = [a for a in node.args if isinstance(a, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp))]
        if len(node.args) >= 2 and plain[:2] == node.args[:2]:
            self.replaced("swapped arguments", *node.args[:2])
        if name in ("criterion", "loss_function", *LOSSES) or isinstance(node.func, ast.Call):
            for argument in node.args[:2]:
                if isinstance(argument, (ast.Name, ast.Call, ast.Subscript)):
                    said = self.said(argument)
                    for new in (f"{said}[0]", f"{said}[:, None]", f"{said}[1:]", f"{said}.float()", f"{said}[..., None]"):
                        self.add("loss argument", argument, new)
        if node.args and not isinstance(node.args[-1], ast.Starred) and len(node.args) > 1:
            start = self.span(node.args[-2])[1]
            self.found.append(Edit("dropped argument", start, self.span(node.args[-1])[1], "", node.lineno))
        elif len(node.args) == 1 and not node.keywords and name not in ("print",):
            self.add("dropped argument", node.args[0], "")
        if name and name[0].isupper() and node.args and not node.keywords:
            stop = self.span(node)[1]
            self.found.append(Edit("extra argument", stop - 1, stop - 1, ", 3", node.lineno))

    def index(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            return
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for part in parts:
            bounds = (part.lower, part.upper) if isinstance(part, ast.Slice) else (part,)
            for bound in bounds:
                if bound is not None and (value := whole(bound)) is not None:
                    for n in {value + 1, value - 1, value + 7} - {-1}:
                        self.add("index", bound, str(n))
        if not isinstance(node.slice, ast.Constant):
            self.add("dropped index", node, self.said(node.value))
