"""Writes how public names that the catalogue does not have are called, into `src/tensorproof/equivalence/documentation/forms/`.

    python tools/documented_calls.py torch tensorflow keras
    python tools/documented_calls.py tensorflow --api 'tf.raw_ops.A*' --show

Reads the constraints of each name from its documentation, draws forms of calls that fit them, tries them on the installed library, and keeps those
that it takes whenever they are drawn again, with other sizes and other numbers. A name none of whose forms is taken is set aside, and counted in the
first line. The trials run in a child process, since a call may end it; such a name is set aside too, and printed.

Never called: what has no tensor among its arguments or in its result, what needs a string that is not of an enumeration, a function, or an object, and
what by its name changes global state or files.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import resource
import select
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from random import Random
from signal import SIGKILL
from time import process_time
from typing import Any

from tensorproof.bindings import names as lists
from tensorproof.bindings import rows as tables
from tensorproof.equivalence.api import Api, is_public
from tensorproof.equivalence.arrays import Raised
from tensorproof.equivalence.call import Call
from tensorproof.equivalence.dialects import dialect as dialect_of
from tensorproof.equivalence.documentation.candidates import NotDrawable, candidate, drawable
from tensorproof.equivalence.documentation.constraint import Parameter
from tensorproof.equivalence.documentation.drawing import filled
from tensorproof.equivalence.documentation.known import LIBRARIES, Documented
from tensorproof.equivalence.documentation.reading import read
from tensorproof.equivalence.documentation.template import Drawn, Template
from tensorproof.equivalence.numbers import TooLarge
from tensorproof.equivalence.opinion import leaves
from tensorproof.equivalence.oracle import Oracle
from tensorproof.equivalence.running import Runner

FORMS = Path(__file__).resolve().parent.parent / "src" / "tensorproof" / "equivalence" / "documentation" / "forms"
TRIES, ENOUGH, AGAIN = 300, 5, 8
"""Forms tried for a name, forms kept, and draws by which a form is tried again."""
SECONDS = 60.0
"""After so long without a word the child is ended."""
MEMORY = 6 << 30
CPU_SECONDS = 3.0
"""How long one name is tried."""
_STATE = re.compile(
    r"(?:^|_)(?:set|register|unregister|enable|disable|start|stop|reset|clear|load|save|write|read|export|import|print|seed|fork|spawn|"
    r"init_process|shutdown|assign|delete|initialize|abort|exit|wait|send|recv|backward|trace|summary|checkpoint|serialize|"
    r"deserialize|collective|nccl|tpu|barrier|queue|mutex|stage|unstage)(?:_|$)",
    re.IGNORECASE,
)
"""Words in the names of what changes global state, files or other processes."""
_CLOSED = (
    "torch.distributed", "torch.multiprocessing", "torch.cuda", "torch.mps", "torch.xpu", "torch.hub", "torch.utils", "torch.fx", "torch.library",
    "torch.optim", "torch.backends", "torch.jit", "torch.onnx", "torch.export", "torch.testing", "torch.profiler", "torch.autograd",
    "torch.overrides", "torch.serialization", "torch.accelerator", "torch.futures", "torch.package", "torch.func", "torch.nn.Module.",
    "torch.nn.parallel", "torch.nn.modules.module", "torch.nn.utils.parametr", "torch.storage", "torch.classes", "torch.compiler",
    "torch.distributions.constraint", "tf.compat", "tf.keras", "tf.config", "tf.distribute", "tf.tpu", "tf.io.gfile", "tf.saved_model", "tf.train",
    "tf.summary", "tf.profiler", "tf.autograph", "tf.data", "tf.lookup", "tf.queue", "tf.test", "tf.errors", "tf.types", "tf.experimental", "tf.mlir",
    "tf.sysconfig", "tf.Variable", "tf.Graph", "tf.Operation", "tf.debugging.", "keras.callbacks", "keras.datasets", "keras.saving", "keras.src",
    "keras.export", "keras.distribution", "keras.models", "keras.Model", "keras.Sequential", "keras.applications", "keras.optimizers",
    "keras.visualization", "keras.backend", "keras.config", "keras.wrappers", "keras.distillation", "keras.preprocessing", "keras.legacy",
    "keras.tree", "keras.dtype_policies",
)  # fmt: skip
"""Namespaces of machinery: processes, files, devices, training loops."""


def found(modules: dict[str, Any], name: str) -> Any:
    value: Any = modules[name.partition(".")[0]]
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    return value


def candidates(library: str, modules: dict[str, Any], globs: list[str]) -> list[str]:
    """The names to try: each function once, and none that the catalogue has under another name."""
    root = {"tensorflow": "tf"}.get(library, library)
    seen = {id(found(modules, n)) for n in tables.names(library) if n.partition(".")[0] in modules}
    made = []
    for name in sorted(lists.public(library), key=lambda n: (n.count("."), n)):
        last = name.rpartition(".")[2]
        if not name.startswith(f"{root}.") or not is_public(name) or name.startswith(_CLOSED) or _STATE.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", last)):
            continue
        value = found(modules, name)
        own = (getattr(value, "__module__", None) or root).partition(".")[0] in ("torch", "tensorflow", "keras", root)
        if own and callable(value) and not inspect.ismodule(value) and id(value) not in seen and inspect.getdoc(value) and not tables.rows(name):
            seen.add(id(value))
            if not globs or any(fnmatchcase(name, g) for g in globs):
                made.append(name)
    return made


def parameters(value: Any, name: str) -> tuple[tuple[Parameter, ...], tuple[Parameter, ...] | None]:
    """Those of the call, and those of the constructor for a class."""
    if not inspect.isclass(value):
        own = read(value, name)
        method = re.match(r"(?:torch|tf)\.Tensor\.", name) and not (own and own[0].name in ("self", "input") and own[0].required and own[0].kind == "plain")
        return ((_SELF, *own) if method else own), None
    called = next((getattr(value, n) for n in ("call", "forward", "update_state", "__call__") if inspect.isfunction(getattr(value, n, None))), None)
    if called is None:
        return (), None
    return tuple(p for p in read(called, name) if p.required), read(value, name)


_SELF = Parameter.from_json({"name": "self", "required": True, "structure": "tensor"})


Said = Callable[[str], None]


class Trial:
    """Tries forms of one name."""

    def __init__(self, library: str, name: str, runner: Runner, say: Said) -> None:
        self.runner, self.random, self.say = runner, Random(name), say
        self.api = Api(name, ())
        self.oracle = Oracle(runner.dialect)
        self.library = library

    def run(self) -> Documented | None:
        call, init = parameters(found(self.runner.modules, self.api.name), self.api.name)
        if not drawable(call) or (init is not None and not drawable(init)) or not call:
            return None
        if self._wants_keywords(call, init):
            call = tuple(replace(p, kind="keyword") for p in call)
        kept: dict[str, Template] = {}
        began = process_time()
        for _ in range(TRIES):
            form = self._form(call, init)
            if process_time() - began > CPU_SECONDS:
                break
            if form is None or not form.tensors or form.text in kept or self._taken(form, 1) < 1:
                continue
            for one in (form, frozen(form, self.random)):
                if self._taken(one, AGAIN) == AGAIN:
                    kept[one.text] = one
                    break
            if len(kept) >= ENOUGH or process_time() - began > CPU_SECONDS:
                break
        return Documented(self.api.name, tuple(kept), *self._behaviour(list(kept.values()))) if kept else None

    def _wants_keywords(self, call: tuple[Parameter, ...], init: tuple[Parameter, ...] | None) -> bool:
        """`tf.raw_ops` take no arguments by place, whatever their signatures say."""
        form = next((f for _ in range(20) if (f := self._form(call, init)) is not None), None)
        made = [] if form is None else [self._result(c) for c in self._calls(form, 1)]
        return any(isinstance(r, Raised) and "only takes keyword args" in r.message for r in made)

    def _form(self, call: tuple[Parameter, ...], init: tuple[Parameter, ...] | None) -> Template | None:
        try:
            return candidate(call, init, self.random)
        except NotDrawable:
            return None

    def _calls(self, form: Template, count: int) -> Iterator[Call]:
        for at in range(count):
            try:
                yield filled(self.api, form, Random(f"{self.random.random()}"), special=at == count - 2)
            except TooLarge:
                return

    def _taken(self, form: Template, count: int) -> int:
        """How many calls give a tensor."""
        return sum(bool(leaves(self._result(call))) and (count == 1 or self.is_valid(call)) for call in self._calls(form, count))

    def is_valid(self, call: Call) -> bool:
        """For TensorFlow a call is valid where eager execution and graphs agree that it is: many kernels check less than shape inference does."""
        if self.library == "torch":
            return True
        names = self.runner.prepared(call.setup(self.runner.dialect), call.inputs)
        given, body = ", ".join(call.inputs), call.expression(self.runner.dialect)
        graph = f"tf.function(lambda {given}: {body}, autograph=False)({given})"
        return not isinstance(names, Raised) and bool(leaves(self.runner.side(graph, names, call.inputs)))

    def _result(self, call: Call) -> Any:
        shown = {name: self.runner.dialect.literal(x) for name, x in call.inputs.items()}
        self.say(f"trying {call.expression(self.runner.dialect, shown)}".replace("\n", " "))
        names = self.runner.prepared(call.setup(self.runner.dialect), call.inputs)
        return names if isinstance(names, Raised) else self.runner.side(call.expression(self.runner.dialect), names, call.inputs)

    def _by_seed(self, call: Call, first: Any, names: dict[str, Any]) -> bool:
        """Whether an object without weights gives other numbers where it is made with another seed: an initializer."""
        dialect = self.runner.dialect
        if not call.setup(dialect) or dialect.has_weights(names.get("layer")):
            return False
        other = self.runner.prepared(call.setup(dialect).replace(dialect.seed, dialect.seed.replace("0", "1")), call.inputs)
        return not isinstance(other, Raised) and self.oracle.difference(first, self.runner.side(call.expression(dialect), other, call.inputs)) is not None

    def _behaviour(self, forms: list[Template]) -> tuple[bool, tuple[int, ...]]:
        """Whether results vary, and which inputs are written into."""
        written, varies = set[int](), False
        for call in (c for form in forms for c in self._calls(form, 2)):
            names = self.runner.prepared(call.setup(self.runner.dialect), call.inputs)
            if isinstance(names, Raised):
                continue
            first, second = (self.runner.side(call.expression(self.runner.dialect), names, call.inputs) for _ in range(2))
            varies |= self.oracle.difference(first, second) is not None or self._by_seed(call, first, names)
            if self.library == "torch":
                eval(call.expression(self.runner.dialect), names)
                made = {n: self.runner.dialect.plain(names[n]) for n in call.inputs}
                fresh = self.runner.tensors(call.inputs)
                written |= {at for at, n in enumerate(call.inputs) if self.oracle.difference(made[n], self.runner.dialect.plain(fresh[n])) is not None}
        return varies, tuple(sorted(written))


def frozen(form: Template, random: Random) -> Template:
    """The form with numbers for its sizes."""
    sizes: dict[str, int] = {}

    def fixed(value: Any) -> Any:
        if isinstance(value, list):
            return [fixed(v) for v in value]
        if not isinstance(value, Drawn):
            return value
        return Drawn(value.label, tuple(s if isinstance(s, int) else sizes.setdefault(s, random.choice((2, 3, 4))) for s in value.sizes), value.span)

    init = None if form.init is None else {k: fixed(v) for k, v in form.init.items()}
    return Template(tuple(map(fixed, form.args)), {k: fixed(v) for k, v in form.kwargs.items()}, init)


def serve(library: str, names: list[str], runner: Runner, say: Said) -> None:
    """In a child process: says of each name what was found of it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for name in names:
        say(f"name {name}")
        with runner.dialect.quiet(False):
            try:
                made = Trial(library, name, runner, say).run()
            except Exception as error:  # documentation that cannot be read
                say(f"error {error!r}")
                made = None
        say("found " + json.dumps(None if made is None else made.text))


def heard(stream: int) -> Iterator[str]:
    """The lines that come through a pipe, until its end or until nothing comes for long."""
    kept = b""
    while select.select([stream], [], [], SECONDS)[0] and (data := os.read(stream, 65536)):
        *lines, kept = (kept + data).split(b"\n")
        yield from (line.decode() for line in lines)


def tried(library: str, names: list[str], runner: Runner) -> Iterator[tuple[str, str]]:
    """Lines of the child; one that ends is replaced by one that goes on with the next name. TensorFlow starts its threads at the first call, in the child."""
    left = list(names)
    while left:
        reading, writing = os.pipe()
        if (pid := os.fork()) == 0:
            os.close(reading)
            serve(library, left, runner, partial(tell, writing))
            os._exit(0)
        os.close(writing)
        trying = name = ""
        for word, _, text in (line.partition(" ") for line in heard(reading)):
            name, trying = (text, "") if word == "name" else (name, text if word == "trying" else trying)
            if word == "found":
                left = left[1:]
            yield word, text
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(pid, SIGKILL)
        os.waitpid(pid, 0)
        if left:
            left = left[1:]
            yield "ended", f"{name}: {trying}"


def tell(stream: int, text: str) -> None:
    os.write(stream, f"{text}\n".encode())


def write(library: str, globs: list[str], after: str, show: bool) -> None:
    runner = Runner(dialect_of(library))
    names, made, ended = candidates(library, runner.modules, globs), list[str](), list[str]()
    names = names[names.index(after) + 1 :] if after in names else names
    done = 0
    for word, text in tried(library, names, runner):
        done += word in ("found", "ended")
        if word == "ended":
            ended.append(text.partition(":")[0])
            print(f"ended {text[:600]}", flush=True)
        elif word == "found" and text != "null":
            made.append(json.loads(text))
            if show:
                print(made[-1], flush=True)
        if word in ("found", "ended") and done % 100 == 0:
            print(f"{library}: {done} of {len(names)} names tried, {len(made)} can be called", file=sys.stderr, flush=True)
    head = f"# {library} {runner.dialect.version()}: {len(names)} names tried, {len(made)} can be called, {len(names) - len(made)} are set aside"
    lines = [head, *([f"# a call ended the process: {' '.join(ended)}"] if ended else [])]
    print(*lines, sep="\n")
    if not show:
        FORMS.mkdir(exist_ok=True)
        (FORMS / f"{library}.txt").write_text("\n".join([*lines, *sorted(made)]) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+", choices=LIBRARIES)
    parser.add_argument("--api", action="append", default=[], help="only names that match this glob")
    parser.add_argument("--after", default="", help="only names after this one")
    parser.add_argument("--show", action="store_true", help="print the forms instead of writing them")
    options = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    warnings.simplefilter("ignore")
    for library in options.libraries:
        write(library, options.api, options.after, options.show)


if __name__ == "__main__":
    main()
