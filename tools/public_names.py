"""Writes each library's list of public names into `src/tensorproof/bindings/names/`, from the real installed library.

    python tools/public_names.py torch numpy          # write
    python tools/public_names.py torch --check        # exit status 1 when the committed list differs

A name is public when a program can reach it from the library's root through names without a leading underscore, be it documented or not: a
name that is missing here is reported as the program's own error, so the list must rather be too long. Submodules that `import library` does
not load are imported as well; one that cannot be imported (a missing optional dependency) is listed by name only, and nothing is said about
what is in it. What other packages lend (`torch.nn.functional.math`) is listed as a name and not entered.

The format: a line at the margin opens a namespace, an indented line is a name in it. An ONNX operator is followed by the opsets that
changed it.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import io
import pkgutil
import sys
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType

NAMES = Path(__file__).resolve().parent.parent / "src" / "tensorproof" / "bindings" / "names"

# Classes whose attributes are listed too: what a program calls on an array or a model.
CLASSES: dict[str, tuple[str, ...]] = {
    "torch": ("torch.Tensor", "torch.nn.Module", "torch.Size", "torch.dtype", "torch.device"),
    "tensorflow": ("tf.Tensor", "tf.Variable", "tf.TensorShape", "tf.DType", "tf.data.Dataset", "tf.RaggedTensor", "tf.SparseTensor"),
    "keras": ("keras.Model", "keras.Sequential", "keras.layers.Layer", "keras.KerasTensor", "keras.Variable"),
    "numpy": ("numpy.ndarray", "numpy.generic", "numpy.dtype"),
}
# Classes whose objects are listed together: a name that is missing here is missing in the objects of every public class beside it.
FAMILIES: dict[str, tuple[str, ...]] = {"keras": ("keras.metrics.Metric", "keras.losses.Loss", "keras.optimizers.Optimizer")}
NEEDED = {"num_classes": 2, "target_class_ids": [0], "fn": abs, "recall": 0.5, "precision": 0.5, "specificity": 0.5, "sensitivity": 0.5,
          "inner_optimizer": "sgd"}  # fmt: skip
ROOT = {"torch": "torch", "tensorflow": "tf", "keras": "keras", "numpy": "numpy"}
# Submodules that are tests, code generators or the machinery of the library itself: listed, not entered.
CLOSED = {
    "torch": ("torch.testing", "torch.utils.benchmark", "torch.utils.hipify", "torch.utils.bottleneck", "torch.utils.tensorboard",
              "torch.utils.model_dump", "torch.utils.viz", "torch.contrib", "torch.fx.experimental", "torch.fx.passes", "torch.ao",
              "torch.quantization", "torch.distributed", "torch.onnx", "torch.package", "torch.export", "torch.jit", "torch.masked",
              "torch.nativert", "torch.monitor", "torch.profiler", "torch.xpu", "torch.mtia", "torch.compiler", "torch.numa",
              "torch.ops", "torch.classes", "torch.version", "torch.headeronly"),
    "tensorflow": ("tf.tools", "tf.python", "tf.core", "tf.compiler", "tf.lite", "tf.security", "tf.tsl", "tf.xla"),
    "keras": ("keras.src",),
    "numpy": ("numpy.f2py", "numpy.testing", "numpy.distutils", "numpy.typing", "numpy.core", "numpy.compat"),
}  # fmt: skip

LAZY = {"tf.keras": "keras._tf_keras.keras"}  # a loader object stands there until it is used
IMPORTED = {"tensorflow": {"tf.keras.saving": "keras._tf_keras.keras.saving"}}  # modules that are there only for who imports them by name
NESTED = (".compat.v2", ".v1.compat", ".compat.v1.keras")  # TensorFlow's compat modules contain one another without end

Listing = dict[str, set[str]]


def public_attributes(owner: object) -> set[str]:
    """Names without a leading underscore that `owner` has. A module of torch.backends is an object that answers for the module in its attribute `m`."""
    wrapped = vars(owner).get("m") if isinstance(owner, ModuleType) and type(owner) is not ModuleType else None
    names = {*dir(owner), *(dir(wrapped) if isinstance(wrapped, ModuleType) else ())}
    return {name for name in names if not name.startswith("_") and name.isascii()}


def quietly_import(name: str) -> ModuleType | None:
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except (Exception, SystemExit):  # a foreign module's body may raise anything
            return None


def submodules(module: ModuleType) -> Iterator[str]:
    """Public submodules on disk, loaded or not."""
    for info in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if not info.name.startswith(("_", "test", "conftest", "setup")):
            yield info.name


def own(path: str, name: str, child: ModuleType, package: str) -> bool:
    """Whether `child` is a namespace of the library at this path, and not a module that the namespace merely imported."""
    if package == "tensorflow":  # the public tree is generated: tensorflow._api.v2.nn, keras._tf_keras.keras.layers
        return child.__name__.startswith("keras." if path.startswith("tf.keras") or name == "keras" else "tensorflow._api.")
    return child.__name__ == f"{path}.{name}"


def walk(library: str) -> Listing:
    listing: Listing = {}
    root = importlib.import_module(library)
    pending = deque([(ROOT[library], root)])  # breadth first: a module reached along several paths is listed at the shortest
    seen = {id(root)}
    closed = set(CLOSED[library])
    while pending:
        path, module = pending.popleft()
        names = public_attributes(module)
        if library in ("torch", "numpy"):  # the others load everything public, and their folders hold internals
            for name in submodules(module):
                if path + "." + name not in closed:
                    quietly_import(f"{path}.{name}")
                names.add(name)
        listing[path] = names
        for name in sorted(names):
            inner = f"{path}.{name}"
            child = None if inner in closed or inner.endswith(NESTED) else LAZY.get(inner) or getattr(module, name, None)
            child = quietly_import(child) if isinstance(child, str) else child
            if isinstance(child, ModuleType) and hasattr(child, "__name__") and id(child) not in seen and own(path, name, child, library):
                seen.add(id(child))
                pending.append((inner, child))
    listing |= {path: public_attributes(importlib.import_module(name)) for path, name in IMPORTED.get(library, {}).items()}
    for dotted in CLASSES[library]:
        owner: object = root
        for part in dotted.split(".")[1:]:
            owner = getattr(owner, part)
        listing[dotted] = public_attributes(owner)
        if dotted == "tf.Tensor":  # an eager tensor has more: numpy(), cpu(), backing_device
            listing[dotted] |= public_attributes(type(root.constant(0)))
    listing |= {dotted: family(root, dotted) for dotted in FAMILIES.get(library, ())}
    return listing


def family(root: object, dotted: str) -> set[str]:
    """What the objects of a class and of the public classes derived from it have, those included that their constructors set."""
    home, base = importlib.import_module(dotted.rpartition(".")[0]), dotted.rpartition(".")[2]
    found = public_attributes(getattr(home, base))
    for name in public_attributes(home):
        cls = getattr(home, name)
        if inspect.isclass(cls) and issubclass(cls, getattr(home, base)):
            found |= public_attributes(cls)
            wanted = {p.name for p in inspect.signature(cls).parameters.values() if p.default is p.empty}
            try:
                found |= set(vars(cls(**{k: v for k, v in NEEDED.items() if k in wanted})))
            except Exception as error:  # a base class, or one that needs a package that is not installed
                print(f"{dotted}: no object of {name}: {error}", file=sys.stderr)
    return {name for name in found if not name.startswith("_")}


def onnx_operators() -> Listing:
    """Operators by domain, each with the opsets in which its definition changed."""
    from onnx import defs

    versions: dict[str, dict[str, set[int]]] = {}
    for schema in defs.get_all_schemas_with_history():
        domain = schema.domain.removeprefix("ai.onnx").removeprefix(".")
        versions.setdefault(f"onnx.{domain}" if domain else "onnx", {}).setdefault(schema.name, set()).add(schema.since_version)
    return {domain: {" ".join([name, *map(str, sorted(since))]) for name, since in ops.items()} for domain, ops in versions.items()}


def render(library: str) -> str:
    module = importlib.import_module(library)
    listing = onnx_operators() if library == "onnx" else walk(library)
    version = str(module.__version__).split("+")[0]
    lines = [f"# {library} {version}"]
    for namespace in sorted(listing):
        lines.append(namespace)
        lines.extend(f" {name}" for name in sorted(listing[namespace]))
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=inspect.cleandoc(__doc__ or "").splitlines()[0])
    parser.add_argument("libraries", nargs="+", choices=[*ROOT, "onnx"])
    parser.add_argument("--check", action="store_true", help="compare with the committed list instead of writing it")
    arguments = parser.parse_args()
    stale = 0
    for library in arguments.libraries:
        text, path = render(library), NAMES / f"{library}.txt"
        if not arguments.check:
            path.write_text(text)
            print(f"{path.name}: {text.count(chr(10))} lines, {len(text) // 1024} KB")
        elif not path.exists() or path.read_text() != text:
            print(f"{path.name} is stale: run python tools/public_names.py {library}", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
