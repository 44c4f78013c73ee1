"""The interpreter: one run of a program along one set of decisions. It keeps memory, facts and findings; the compiled program drives it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Severity, Step
from tensorproof.diagnostics.span import Span
from tensorproof.frontends.python.attributes import attributes, lookup, stores
from tensorproof.frontends.python.branching import deciding
from tensorproof.frontends.python.branching.branching import Branching
from tensorproof.frontends.python.branching.facts import Facts
from tensorproof.frontends.python.calls import callbacks, calling, classes, exceptions, failures, layer_calls, raised_by_data
from tensorproof.frontends.python.compiling.compiler import MODULE
from tensorproof.frontends.python.errors import Dead, Fork, OutOfBudget, Raised, Undecided
from tensorproof.frontends.python.iteration import generators, iteration
from tensorproof.frontends.python.loops import endings, library_loops
from tensorproof.frontends.python.modules.modules import Modules
from tensorproof.frontends.python.modules.package_budget import Left, PackageBudget
from tensorproof.frontends.python.operators import comparisons, container_comparisons, operations, subscripts, truths
from tensorproof.frontends.python.scope import Act
from tensorproof.frontends.python.summaries import summarised_lists
from tensorproof.frontends.python.tensors.memory import Memory
from tensorproof.libraries.model import AT_EXIT
from tensorproof.ops.call import Session
from tensorproof.ops.record import Requirement
from tensorproof.solve import limits
from tensorproof.terms.ints import Dim, Origin, symbol
from tensorproof.terms.labels import label
from tensorproof.terms.predicates import Predicate, Truth, flag, negate
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING, Heap
from tensorproof.values.objects import Bound, Class, ModuleFile
from tensorproof.values.path import Path, Stated
from tensorproof.values.port import Machine, Value
from tensorproof.values.python_values import AFTER_ERROR, Unknown


class Interpreter(Facts):
    """Implements `values.machine.Machine`."""

    def __init__(self, modules: Modules, decisions: dict[Predicate, bool] | None = None, argv: tuple[str, ...] = ()) -> None:
        super().__init__(modules.answers, modules.symbols)
        self.heap = Heap()
        self.path = Path()
        self.session = Session()
        self.branching = Branching(self)
        self.modules = modules
        self.decisions = decisions or {}
        self.argv = argv
        self.directives = modules.main_source.directives
        self.in_symbolic_iteration = 0
        """How many loops are in an iteration that stands for all of them: there, what two paths leave of a list is distinguished by how many it has."""
        self.symbolic_iterations = 0
        """How many loops had such an iteration."""
        self.handlers = 0
        self.guards: list[Callable[[Raised], bool]] = []
        """Those of the handlers that can tell which exceptions they take."""
        self.stop_at_error = False
        self.failures = 0
        """How many errors the run went on after."""
        self.doubted: frozenset[int] = frozenset()
        """What the tensors that an error blames were computed from: what else is computed from it is not blamed again."""
        self.direct = ""
        """The name of the library's function that the program called last."""
        self.roots: dict[int, tuple[TensorType, frozenset[int]]] = {}
        self.in_library = 0
        """How many calls of library models are open: an error in what they call is theirs to pass on."""
        self.depth = 0
        self.steps = 0
        self.entered = 0
        """How many calls of the program's own functions were entered."""
        self.limit, self.budget = limits.current(), PackageBudget()
        self.here: ast.AST | None = None
        """The statement that runs."""
        self.spans: list[ast.AST] = []
        self.frames: list[Any] = []
        self.left: set[Any] = set()
        """The code of functions whose calls nested too deeply: they are not followed deeper again."""
        self.fitting: dict[int, Value] = {}
        """The layers that took a call."""
        self.unknown_writes: dict[str, int] = {}
        """How often something unknown was called or written into: what it held before is not known to be there."""
        self.bounds_asked: dict[str, dict[str, tuple[str, float]]] = {}
        """The bounds with which an unknown number was compared, by its key and by the name of the question."""
        self.occurrences: dict[str, int] = {}
        self.model_state: dict[Any, Any] = {"files": self.heap.space(), "interpreter": self.heap.space()}
        """What library models keep between calls: seeds, the default element type, the files that the program writes, the graph of TensorFlow 1."""
        self.bound_on: dict[int, Value] = {}
        self.ranged = False
        """Whether a range of whole numbers is known of any tensor."""
        self.sizes: dict[int, tuple[Any, ...]] = {}
        """The tuples that are a torch.Size."""
        self.made_at: dict[int, tuple[Value, str, Span]] = {}
        self.memory = Memory(self)
        modules.start(self)

    # --- places ---

    def span(self, node: ast.AST) -> Span:
        """The place of a node in the file whose code is running."""
        path = self.frames[-1].module.path if self.frames and self.frames[-1].module is not None else self.modules.main.path
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return Span(path, line, column + 1, getattr(node, "end_lineno", None) or line, (getattr(node, "end_col_offset", None) or column) + 1)

    def name_here(self, word: str, node: ast.AST, words: str = "") -> str:
        """A name for something made at this place, the same in every replay. Text shows it as `words`, or as `word` alone."""
        place = f"{word}@{getattr(node, 'lineno', 0)}"
        count = self.occurrences.get(place, 0)
        self.occurrences[place] = count + 1
        return label(f"{place}#{count}" if count else place, words or word)

    def step(self, cost: int = 1) -> None:
        self.steps += cost
        if self.steps > self.budget.next or self.limit.expired:
            self.budget.check(self)

    def out_of_budget(self) -> OutOfBudget:
        """For `raise`: the limit of the file is reached here."""
        line = self.user_span(self.here).line if self.frames and self.here is not None else 0
        return OutOfBudget(self.limit.sentence + (f" at line {line}" if line else ""))

    def symbol(self, name: str, lo: int, hi: int | None, origin: Origin) -> Dim:
        self.session.names.add(name)
        return symbol(name, lo, hi, origin)

    def open_truth(self, word: str, node: ast.AST) -> Predicate:
        """An unknown truth value."""
        name = self.name_here(word, node)
        self.session.names.add(name)
        return flag(name)

    # --- findings ---

    def gap(self, callee: str, node: ast.AST, reason: str = "") -> Unknown:
        found = Gap(callee, self.user_span(node), reason)
        if self.path.program is not None:
            self.path.program.add(found)
        if self.failures and not self.path.gaps:  # an error came before, and nothing else that was not understood
            self.path.later.append(found)
            return AFTER_ERROR
        self.path.gaps.append(found)
        return Unknown(callee)

    def user_span(self, node: ast.AST) -> Span:
        """The innermost place in the project's own code: a finding inside a library's source is reported where the project calls it."""
        for frame, at in zip(reversed(self.frames), [node, *reversed([f.at for f in self.frames[:-1]])]):
            if frame.module is None or not frame.module.foreign:
                path = frame.module.path if frame.module is not None else self.modules.main.path
                line, column = getattr(at, "lineno", 1), getattr(at, "col_offset", 0)
                return Span(path, line, column + 1, getattr(at, "end_lineno", None) or line, (getattr(at, "end_col_offset", None) or column) + 1)
        return self.span(node)

    def require(self, code: str, predicate: Truth, message: str, node: ast.AST, about: tuple[str, ...] = (), trail: tuple[Step, ...] = ()) -> None:
        if predicate is True:
            return
        if predicate is False:
            raise self.raised("RuntimeError", message, node, code, trail)
        self.path.stated.append(Stated(Requirement(code, predicate, message, about), self.user_span(node), trail, tuple(self.facts)))

    def demand(self, kind: str, predicate: Truth, message: str, node: ast.AST, code: str = "") -> None:
        """The program raises this exception unless the predicate holds. Where it may be caught, the run decides; else it is a requirement."""
        if predicate is True:
            return
        if predicate is False or (self.handlers and not deciding.decided(self, predicate)):
            raised = self.raised(kind, message, node, code)
            raised.quiet, raised.own = _from_data(predicate), kind == "AssertionError"
            raise raised
        if self.handlers:
            return
        requirement = Requirement(code or f"python/{_CODES.get(kind, 'raise')}", predicate, message)
        self.path.stated.append(Stated(requirement, self.user_span(node), (), tuple(self.facts), exception=kind))
        self.assume(predicate)

    def may_raise(self, kind: str, message: str, node: ast.AST) -> None:
        if self.guards:
            raised_by_data.may_raise(self, kind, message, node)

    def next_or(self, value: Any, default: Value, node: ast.AST) -> Any:
        return raised_by_data.next_or(self, value, default, node)

    def ended_here(self, p: Predicate) -> bool:
        """See `Machine`: where it is unknown, the `try` runs both ways in an iteration that stands for many."""
        number = self.heap.branch_since(-1)
        known = self.implied(p)
        if known is None and self.in_symbolic_iteration and number:
            raise Undecided(number, predicate=p)
        return deciding.decided(self, p) if known is None else known

    def raised(self, kind: Any, message: str, node: ast.AST, code: str = "", trail: tuple[Step, ...] = ()) -> Raised:
        return Raised(kind, message, self.user_span(node), code or f"python/{_CODES.get(kind, 'raise')}", trail)

    @property
    def errors(self) -> tuple[int, frozenset[int], int, bool]:
        """What is kept of errors that the run went on after: restored when what led to them is undone."""
        return self.failures, self.doubted, len(self.path.later), self.path.lost

    @errors.setter
    def errors(self, before: tuple[int, frozenset[int], int, bool]) -> None:
        self.failures, self.doubted, later, self.path.lost = before
        del self.path.later[later:]

    def fail(self, code: str, message: str, node: ast.AST, trail: tuple[Step, ...] = ()) -> Raised:
        return self.raised("RuntimeError", message, node, code, trail)

    def uncaught(self, raised: Raised) -> None:
        """It is not caught: on this path, which the facts describe, the program dies here."""
        if raised.quiet:
            self.path.left = True
        else:
            name = raised.kind if isinstance(raised.kind, str) else raised.kind.name
            failed = raised.refused or Requirement(raised.code, False, raised.message)
            certain = raised.certain == self.asked  # what a handler asked before it raised again was chosen outside
            self.path.stated.append(Stated(failed, raised.span, raised.trail, tuple(self.facts), raised.fix, name, raised.call, certain))

    def warn(self, code: str, message: str, node: ast.AST) -> None:
        module = self.frames[-1].module if self.frames else None
        if self.failures or (module is not None and module.foreign):  # a package's own code is not the user's to mend
            return
        found = Diagnostic(code, Severity.WARNING, message, self.user_span(node))
        if found not in self.path.findings:
            self.path.findings.append(found)

    def warn_of(self, raised: Raised, message: str) -> None:
        """An exception that does not end the program, as a warning at its own place."""
        found = Diagnostic(raised.code, Severity.WARNING, message, raised.span, trail=raised.trail)
        if found not in self.path.findings:
            self.path.findings.append(found)

    # --- memory that is not the heap's ---

    def bound(self, name: str, value: Value, node: ast.AST) -> None:
        """A name was bound: remember where, for trails and for what an editor shows."""
        if isinstance(value, TensorType):
            self.made_at[id(value)] = (value, name, self.user_span(node))
        if self.frames and self.frames[-1].module is self.modules.main:
            self.bound_on[getattr(node, "lineno", 0)] = value

    def remember(self, owner: Value, name: str, old: Value) -> None:
        """A library's record is about to be changed in place: inside an open branch that cannot be undone, so the run forks."""
        number = self.heap.branch_since(-1)
        if number:
            raise Fork(number)

    def compare(self, op: type[ast.cmpop], a: Value, b: Value, node: ast.AST) -> Any:
        return comparisons.compare(self, op, a, b, node)

    def binary(self, op: type[ast.operator], a: Value, b: Value, node: ast.AST, in_place: bool = False) -> Any:
        return operations.binary(self, op, a, b, node, in_place)

    def unary(self, op: type[ast.unaryop], a: Value, node: ast.AST) -> Value:
        return operations.unary(self, op, a, node)

    def item(self, owner: Value, index: Value, node: ast.AST) -> Any:
        return subscripts.load(self, owner, index, node)

    def set_item(self, owner: Value, index: Value, value: Value, node: ast.AST) -> None:
        subscripts.store(self.frames[-1], owner, index, value, node)

    def delete_item(self, owner: Value, index: Value, node: ast.AST) -> None:
        subscripts.delete(self, owner, index, node)

    def enter(self, manager: Value, node: ast.AST) -> tuple[Any, Any]:
        return exceptions.enter(self, manager, node)

    def catches(self, raised: Raised, wanted: Value, node: ast.AST) -> bool:
        return exceptions.takes(self, raised, wanted, node)

    def throw(self, generator: Any, raised: Raised, node: ast.AST) -> bool:
        return generators.throw(self, generator, raised, node) is generators.END

    def in_class(self, cls: Value, name: str) -> Value:
        return lookup.in_class(self, cls, name)[0]

    @property
    def main(self) -> ModuleFile:
        return self.modules.main

    @property
    def main_path(self) -> str:
        return self.modules.main_source.path

    def texts(self) -> list[str]:
        return self.modules.texts()

    def module(self, name: str, node: ast.AST) -> Any:
        return self.modules.find(self, name, node)

    def installed(self, name: str) -> tuple[bool | None, str | None]:
        return self.modules.present(self, name), self.modules.version(self, name)

    def run_module(self, module: ModuleFile, name: str | None) -> None:
        self.modules.ensure(self, module, name)

    def compiled(self, nodes: list[ast.stmt]) -> Act:
        """Statements of a module, compiled."""
        return MODULE.block(nodes)

    def new_object(self, cls: Class, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
        """A new object of a class, whatever its metaclass makes of a call."""
        return classes.made(self, cls, args, kwargs, node)

    def contains_instance(self, container: Any, item: Value, node: ast.AST) -> Value:
        found, _ = lookup.in_class(self, container.cls, "__contains__")
        if found is not MISSING:
            return self.truth(self.call(Bound(found, container), (item,), {}, node), node)
        listed = self.iterate(container, node)
        return Unknown("in", number="bool") if listed is None else container_comparisons.contains(self, tuple(listed), item, node)

    # --- what models and compiled code call ---

    def call(self, callee: Value, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Any:
        return calling.call(self, callee, args, kwargs, node)

    def run_layer(self, layer: Any, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Any:
        return layer_calls.run_layer(self, layer, args, kwargs, node)

    def spelling(self, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Any:
        return calling.call_spelling(self, name, args, kwargs, node)

    def layer_forward(self, layer: Any, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> Value:
        return layer_calls.own_forward(self, layer, args, kwargs, node)

    def attribute(self, owner: Value, name: str, node: ast.AST) -> Any:
        return attributes.load(self, owner, name, node)

    def set_attribute(self, owner: Value, name: str, value: Value, node: ast.AST) -> None:
        stores.store(self, owner, name, value, node)

    def iterate(self, value: Value, node: ast.AST) -> list[Any] | None:
        return iteration.items(self, value, node)

    def open_iterations(self, value: Value, node: ast.AST) -> Value:
        return summarised_lists.open_iterations(self, value, node)

    def attempt(self, callee: Value, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> tuple[Value, Raised | None]:
        return callbacks.attempt(self, callee, args, kwargs, node)

    def run_text(self, text: str, node: ast.AST) -> bool:
        return callbacks.run_text(self, text, node)

    def each(self, iterations: list[Value], act: Callable[[Value], Truth | None], node: ast.AST, source: Value = None) -> None:
        library_loops.each(self, iterations, act, node, source)

    def truth(self, value: Value, node: ast.AST) -> Truth:
        return truths.truth(self, value, node)

    # --- the run ---

    def lost_rest(self, reason: str) -> None:
        """What comes after this place is not analysed."""
        self.path.gaps.append(Gap("the rest of the program", Span(self.modules.main.path, 1, 1, 1, 1), reason))

    def run(self) -> Path:
        """Run the program's main file."""
        try:
            self.modules.run_main(self)
            if AT_EXIT in self.model_state:
                from tensorproof.libraries.python import callbacks as python_callbacks

                python_callbacks.at_exit(self)
        except Raised as raised:
            self.uncaught(raised)
            self.path.ended = True
            endings.ended(self, raised)
        except Dead:
            self.path.ended = True
        except (Fork, Left):
            raise
        except (OutOfBudget, RecursionError) as spent:
            reason = str(spent) if isinstance(spent, OutOfBudget) else "the program nests too deeply"
            self.lost_rest(reason)
        except Exception as bug:  # ours: a gap, never the program's error
            self.lost_rest(failures.reason(bug))
        self.budget.open = False
        if "tape" in self.model_state and not self.limit.expired:
            from tensorproof.libraries.tensorflow import tape_ranks

            tape_ranks.finish(self)
        decided = (p if side else negate(p) for p, side in self.decisions.items())
        self.path.facts = (*self.facts, *(p for p in decided if isinstance(p, Predicate)))
        return self.path


def port(machine: Interpreter) -> Machine:  # the interpreter as library models see it: mypy holds that it offers all of it
    return machine


def _from_data(predicate: Truth) -> bool:  # that it may be otherwise is no error, whoever may catch it
    return isinstance(predicate, Predicate) and (predicate.kind == "flag" or any(map(_from_data, predicate.args)))


_CODES = {
    "NameError": "name", "UnboundLocalError": "name", "AttributeError": "attribute", "TypeError": "type", "ValueError": "value", "KeyError": "key",
    "IndexError": "index", "ZeroDivisionError": "zero-division", "AssertionError": "assert", "OverflowError": "overflow", "ImportError": "import",
    "ModuleNotFoundError": "import", "RecursionError": "recursion", "StopIteration": "stop-iteration", "FileNotFoundError": "file",
    "NotImplementedError": "not-implemented",
}  # fmt: skip
