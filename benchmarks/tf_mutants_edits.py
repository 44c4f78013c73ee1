"""Single edits of a TensorFlow or Keras program, by kind: each is one slip that people make, as a replacement of a piece of its text.

`edits(text)` gives every edit of every kind, in the order of the text; which of them are used is for the caller to choose.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Edit:
    """One replacement: `text[start:stop]` becomes `new`; `line` is where it stands."""

    kind: str
    start: int
    stop: int
    new: str
    line: int


LAYERS = {
    "Dense": 0, "Conv1D": 0, "Conv2D": 0, "Conv3D": 0, "Conv2DTranspose": 0, "Conv1DTranspose": 0, "SeparableConv2D": 0, "LSTM": 0, "GRU": 0, "SimpleRNN": 0,
    "Embedding": 1, "LSTMCell": 0, "GRUCell": 0, "BasicLSTMCell": 0, "BasicRNNCell": 0, "MultiRNNCell": 0, "EinsumDense": 1, "RepeatVector": 0, "dense": 1,
    "conv2d": 1, "conv2d_transpose": 1, "conv1d": 1, "one_hot": 1, "to_categorical": 1, "fully_connected": 1, "MultiHeadAttention": 0,
}  # fmt: skip
UNITS = {"units", "filters", "output_dim", "num_units", "depth", "num_classes", "n_classes", "key_dim", "num_heads", "num_outputs", "input_dim"}
KERNEL = {"kernel_size", "strides", "pool_size", "ksize", "dilation_rate", "size", "cropping", "padding", "stride", "groups"}
PADDINGS = {"same": "valid", "valid": "same", "SAME": "VALID", "VALID": "SAME"}
RESHAPING = {
    "reshape",
    "expand_dims",
    "squeeze",
    "transpose",
    "flatten",
    "ravel",
    "tile",
    "pad_sequences",
    "repeat",
    "reduce_mean",
    "reduce_sum",
    "argmax",
    "stack",
}
CASTING = {"cast", "astype", "one_hot", "to_categorical", "convert_to_tensor", "to_float", "to_int32"}
LOSSES = {
    "sparse_categorical_crossentropy": "categorical_crossentropy", "categorical_crossentropy": "sparse_categorical_crossentropy",
    "binary_crossentropy": "categorical_crossentropy", "mse": "sparse_categorical_crossentropy", "mean_squared_error": "sparse_categorical_crossentropy",
    "mae": "categorical_crossentropy", "SparseCategoricalCrossentropy": "CategoricalCrossentropy", "CategoricalCrossentropy": "SparseCategoricalCrossentropy",
    "BinaryCrossentropy": "SparseCategoricalCrossentropy", "MeanSquaredError": "SparseCategoricalCrossentropy",
    "sparse_softmax_cross_entropy_with_logits": "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits": "sparse_softmax_cross_entropy_with_logits",
    "sigmoid_cross_entropy_with_logits": "softmax_cross_entropy_with_logits", "sparse_softmax_cross_entropy": "softmax_cross_entropy",
    "softmax_cross_entropy": "sparse_softmax_cross_entropy", "SparseCategoricalAccuracy": "CategoricalAccuracy",
    "CategoricalAccuracy": "SparseCategoricalAccuracy",
    "sparse_categorical_accuracy": "categorical_accuracy",
}  # fmt: skip
DTYPES = {"float32": ("int32", "float64"), "int32": ("float32", "int64"), "int64": ("float32", "int32"), "float64": ("float32",), "uint8": ("float32",)}
FUNCTIONS = {
    "matmul": "multiply", "multiply": "matmul", "concat": "stack", "stack": "concat", "concatenate": "stack", "Conv2D": "Conv1D", "Conv1D": "Conv2D",
    "MaxPooling2D": "MaxPooling1D", "MaxPooling1D": "MaxPooling2D", "MaxPool2D": "MaxPool1D", "Add": "Dot", "Concatenate": "Add", "LSTM": "Dense",
    "GRU": "Dense",
    "Flatten": "GlobalAveragePooling2D", "GlobalAveragePooling2D": "GlobalAveragePooling1D", "GlobalAveragePooling1D": "GlobalAveragePooling2D",
    "Embedding": "Dense", "add": "matmul", "Bidirectional": "TimeDistributed", "GlobalMaxPooling1D": "GlobalMaxPooling2D", "vstack": "stack",
    "expand_dims": "squeeze",
    "squeeze": "expand_dims", "reduce_mean": "argmax", "SimpleRNN": "Dense", "batch": "repeat", "from_tensor_slices": "from_tensors",
}  # fmt: skip
FLAGS = {
    "return_sequences",
    "return_state",
    "keepdims",
    "keep_dims",
    "transpose_a",
    "transpose_b",
    "drop_remainder",
    "include_top",
    "mask_zero",
    "from_logits",
    "stateful",
}
AXES = {"expand_dims", "squeeze", "concat", "stack", "argmax", "reduce_mean", "reduce_sum", "concatenate", "split", "unstack", "softmax", "one_hot"}
TAKING = {"fit", "evaluate", "predict", "train_on_batch", "run", "matmul", "add", "call", "concat", "update_state", "gradient"}
"""Calls whose first arguments are data."""
BATCH = {"batch_size", "validation_split", "steps_per_epoch", "validation_batch_size", "batch_dims", "num_parallel_calls"}


def edits(text: str) -> list[Edit]:
    """Every single edit of a program."""
    tree = ast.parse(text)
    finder = Finder(text)
    for node in ast.walk(tree):
        finder.visit_one(node)
    seen: dict[tuple[int, int, str], Edit] = {}
    for edit in finder.found:
        if text[edit.start : edit.stop] != edit.new:
            seen.setdefault((edit.start, edit.stop, edit.new), edit)
    return sorted(seen.values(), key=lambda e: (e.start, e.stop, e.new))


def apply(text: str, edit: Edit) -> str:
    return text[: edit.start] + edit.new + text[edit.stop :]


def numbers(value: int) -> tuple[int, ...]:
    """Other numbers that could stand in its place."""
    if value in (0, 1):
        return (2, 3)
    return tuple(n for n in (value + 1, value - 1, value * 2, value // 2) if n > 0 and n != value)


class Finder:
    """Collects the edits of one program."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Edit] = []
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.lines = text.splitlines(keepends=True)

    def place(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        line, column, last, end = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return self.place(line, column), self.place(last, end)

    def said(self, node: ast.AST) -> str:
        start, stop = self.span(node)
        return self.text[start:stop]

    def add(self, kind: str, node: ast.AST, new: str) -> None:
        start, stop = self.span(node)
        self.found.append(Edit(kind, start, stop, new, node.lineno))  # type: ignore[attr-defined]

    def visit_one(self, node: ast.AST) -> None:
        match node:
            case ast.Call():
                self.call(node)
            case ast.Subscript():
                self.subscript(node)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="add"), args=[ast.Call()])):
                self.add("dropped layer", node, "pass")
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()) if name in {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}:
                self.add("dropped layer", node, "pass")
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int() as value)) if not isinstance(value, bool) and value > 1:
                for n in numbers(value)[:2]:
                    self.add("named number", node.value, str(n))
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
                for item in values:
                    if (number := whole(item)) is not None and number > 1:
                        self.add("named number", item, str(numbers(number)[0]))
            case ast.BinOp(op=ast.MatMult()):
                self.add("swapped operands", node, f"{self.said(node.right)} @ {self.said(node.left)}")
                self.add("another function", node, f"{self.said(node.left)} * {self.said(node.right)}")
            case ast.Return(value=ast.Tuple(elts=[first, second, *_])):
                self.add("swapped operands", first, self.said(second))
            case ast.Constant(value=str() as word) if word in LOSSES:
                self.add("another loss", node, repr(LOSSES[word]))
            case ast.Constant(value=str() as word) if word in DTYPES:
                for other in DTYPES[word]:
                    self.add("another dtype", node, repr(other))
            case ast.Attribute(attr=word, value=value) if word in DTYPES:
                for other in DTYPES[word]:
                    self.add("another dtype", node, f"{self.said(value)}.{other}")
            case ast.Attribute(attr=word, value=value) if word in LOSSES:
                self.add("another loss", node, f"{self.said(value)}.{LOSSES[word]}")
            case _:
                pass

    def call(self, node: ast.Call) -> None:
        name = named(node.func)
        said_by = self.said(node.func)
        self.functions(node, name)
        self.dropped(node, name)
        self.swapped(node, name)
        self.arguments(node, name, said_by)
        if name == "Sequential" and node.args and isinstance(node.args[0], ast.List):
            layers = node.args[0].elts
            for layer, following in zip(layers, [*layers[1:], None]):
                start, stop = self.span(layer)
                end = self.span(following)[0] if following is not None else stop
                self.found.append(Edit("dropped layer", start, end, "", layer.lineno))
            for a, b in pairwise(layers):
                start, stop = self.span(a)[0], self.span(b)[1]
                self.found.append(Edit("swapped operands", start, stop, f"{self.said(b)}, {self.said(a)}", a.lineno))
        elif isinstance(node.func, ast.Call) and len(node.args) == 1:
            self.add("dropped layer", node, self.said(node.args[0]))

    def functions(self, node: ast.Call, name: str) -> None:
        other = FUNCTIONS.get(name)
        if other is not None:
            owner = f"{self.said(node.func.value)}." if isinstance(node.func, ast.Attribute) else ""
            if owner:
                self.add("another function", node.func, owner + other)

    def dropped(self, node: ast.Call, name: str) -> None:
        kind = "dropped reshape" if name in RESHAPING else "dropped cast" if name in CASTING else ""
        if not kind or not isinstance(node.func, ast.Attribute):
            return
        root = node.func.value
        while isinstance(root, ast.Attribute):
            root = root.value
        library = isinstance(root, ast.Name) and root.id in ("tf", "np", "keras", "K", "ops", "layers", "utils")
        if not library:
            self.add(kind, node, self.said(node.func.value))
        elif node.args and not name[0].isupper():
            self.add(kind, node, self.said(node.args[0]))

    def swapped(self, node: ast.Call, name: str) -> None:
        if len(node.args) >= 2 and not any(isinstance(a, ast.Starred) for a in node.args[:2]):
            first, second = node.args[:2]
            if all(isinstance(a, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)) for a in (first, second)):
                start, stop = self.span(first)[0], self.span(second)[1]
                self.found.append(Edit("swapped operands", start, stop, f"{self.said(second)}, {self.said(first)}", node.lineno))
        if name in TAKING or isinstance(node.func, ast.Call):
            for argument in node.args[:2]:
                if isinstance(argument, (ast.Name, ast.Attribute)):
                    said = self.said(argument)
                    for new in (f"{said}[0]", f"{said}[..., None]", f"{said}[:, 1:]", f"{said}[1:]", f"{said}[None]"):
                        self.add("added index", argument, new)
                elif isinstance(argument, ast.List) and len(argument.elts) > 1 and name == "concat":
                    said = self.said(argument.elts[0])
                    self.add("added index", argument.elts[0], f"{said}[..., 0]")
        for keyword in node.keywords:
            if keyword.arg in ("labels", "logits", "validation_data", "feed_dict", "onehot_labels", "targets") and isinstance(keyword.value, ast.Name):
                said = self.said(keyword.value)
                self.add("added index", keyword.value, f"{said}[..., None]")
                self.add("added index", keyword.value, f"{said}[1:]")
            if keyword.arg == "feed_dict" and isinstance(keyword.value, ast.Dict):
                self.feed(keyword.value)
        for argument in node.args:
            if isinstance(argument, ast.Dict) and name in ("run", "eval"):
                self.feed(argument)

    def feed(self, node: ast.Dict) -> None:
        for value in node.values:
            if isinstance(value, (ast.Constant, ast.Dict)):
                continue
            said = self.said(value)
            for new in (f"{said}[0]", f"{said}[1:]", f"{said}[..., None]", f"{said}.T"):
                self.add("another feed", value, new)

    def arguments(self, node: ast.Call, name: str, said_by: str) -> None:
        if name in LAYERS and len(node.args) > LAYERS[name] and (value := whole(node.args[LAYERS[name]])) is not None:
            self.number("units", node.args[LAYERS[name]], value)
        if name in ("batch", "padded_batch", "shuffle", "take", "repeat", "window") and node.args and (value := whole(node.args[0])) is not None:
            self.number("batches", node.args[0], value)
        if name[:4] in ("Conv", "MaxP", "Aver", "UpSa", "Zero", "Sepa") or name in ("max_pool", "conv2d", "max_pooling2d"):
            for argument in node.args[1:] if name.startswith(("Conv", "Sepa", "conv")) else node.args:
                self.kernel(argument)
        data = said_by.startswith(("np.", "numpy.")) or name in ("placeholder", "Input", "InputLayer")
        if name in AXES and len(node.args) > 1:
            axis = node.args[-1] if name != "split" else node.args[2] if len(node.args) > 2 else node.args[-1]
            self.axis(axis)
        for argument in [*node.args, *(k.value for k in node.keywords if k.arg not in KERNEL | {"axis", "axes"})]:
            if isinstance(argument, (ast.List, ast.Tuple)) and any(whole(e) is not None for e in argument.elts):
                self.shape("data size" if data else "shape", argument)
        if name in ("rand", "randn", "arange") and data:
            for argument in node.args:
                if (value := whole(argument)) is not None:
                    self.number("data size", argument, value)
        for keyword in node.keywords:
            value = whole(keyword.value)
            if keyword.arg in ("axis", "axes", "dim", "perm"):
                self.axis(keyword.value)
            elif keyword.arg in UNITS and value is not None:
                self.number("units", keyword.value, value)
            elif keyword.arg in KERNEL:
                self.kernel(keyword.value)
            elif keyword.arg in FLAGS and isinstance(keyword.value, ast.Constant):
                self.add("flag", keyword.value, str(not keyword.value.value))
            elif keyword.arg in BATCH and value is not None:
                self.number("batches", keyword.value, value)
            elif value is not None and value > 1 and keyword.arg not in ("epochs", "verbose", "seed", "random_state"):
                self.number("named number", keyword.value, value)
        if name in ("LSTM", "GRU", "SimpleRNN", "Bidirectional") and not any(k.arg in FLAGS for k in node.keywords):
            self.extra(node, "flag", "return_sequences=True")
        reducing = name in ("reduce_mean", "reduce_sum", "reduce_max", "mean", "sum", "argmax")
        if reducing and not any(k.arg == "axis" for k in node.keywords) and len(node.args) == 1:
            self.extra(node, "another axis", "axis=1")
        if name == "batch":
            self.extra(node, "flag", "drop_remainder=True")
        if name == "matmul" and not any(k.arg in FLAGS for k in node.keywords):
            self.extra(node, "flag", "transpose_b=True")

    def extra(self, node: ast.Call, kind: str, words: str) -> None:
        stop = self.span(node)[1]
        comma = ", " if node.args or node.keywords else ""
        self.found.append(Edit(kind, stop - 1, stop - 1, comma + words, node.lineno))

    def number(self, kind: str, node: ast.AST, value: int) -> None:
        for n in numbers(value):
            self.add(kind, node, str(n))

    def kernel(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in PADDINGS:
            self.add("kernel", node, repr(PADDINGS[node.value]))
        elif (value := whole(node)) is not None:
            self.number("kernel", node, value)
        elif isinstance(node, (ast.List, ast.Tuple)):
            for item in node.elts:
                if (value := whole(item)) is not None and value > 0:
                    self.number("kernel", item, value)

    def axis(self, node: ast.expr) -> None:
        value = whole(node)
        if value is not None:
            for n in (0, 1, 2, -1, -2):
                if n != value:
                    self.add("another axis", node, str(n))
        elif isinstance(node, (ast.List, ast.Tuple)):
            self.shape("another axis", node)

    def shape(self, kind: str, node: ast.List | ast.Tuple) -> None:
        for item in node.elts:
            if (value := whole(item)) is not None and value > 0:
                self.number(kind, item, value)
        for a, b in pairwise(node.elts):
            if self.said(a) != self.said(b):
                start, stop = self.span(a)[0], self.span(b)[1]
                self.found.append(Edit("swapped axes", start, stop, f"{self.said(b)}, {self.said(a)}", node.lineno))
        if len(node.elts) > 1:
            start, stop = self.span(node.elts[0])[0], self.span(node.elts[1])[0]
            self.found.append(Edit("shape rank", start, stop, "", node.lineno))
            end = self.span(node.elts[-1])[1]
            self.found.append(Edit("shape rank", end, end, ", 1", node.lineno))

    def subscript(self, node: ast.Subscript) -> None:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for part in parts:
            bounds: Iterator[ast.expr | None] = iter((part.lower, part.upper)) if isinstance(part, ast.Slice) else iter((part,))
            for bound in bounds:
                if bound is not None and (value := whole(bound)) is not None:
                    for n in {value + 1, value - 1, value + 7} - {-1}:
                        self.add("index", bound, str(n))
        if isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Constant):
            self.add("dropped reshape", node, self.said(node.value))


def whole(node: ast.AST) -> int | None:
    """The integer that a node says, or None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = whole(node.operand)
        return -value if value is not None else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return None


def named(function: ast.expr) -> str:
    """The last word of what is called."""
    if isinstance(function, ast.Attribute):
        return function.attr
    if isinstance(function, ast.Name):
        return function.id
    return named(function.func) if isinstance(function, ast.Call) else ""
