"""The interpreter: one run of a program along one set of decisions. It keeps memory, facts and findings; the compiled program drives it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tensorproof.diagnostics.diagnostic import Diagnostic, Gap, Severity, Step
from tensorproof.diagnostics.span import Span
from tensorproof.frontends.python import (
    attributes,
    callbacks,
    calling,
    comparisons,
    endings,
    equality,
    exceptions,
    failures,
    generators,
    iteration,
    layer_calls,
    library_loops,
    operations,
    questions,
    raised_by_data,
    stores,
    subscripts,
    uncounted,
)
from tensorproof.frontends.python.branching import Branching
from tensorproof.frontends.python.errors import Dead, Fork, OutOfBudget, Raised, Undecided
from tensorproof.frontends.python.memory import Memory
from tensorproof.frontends.python.modules import Modules
from tensorproof.libraries.model import AT_EXIT
from tensorproof.ops.call import Session
from tensorproof.ops.record import Requirement
from tensorproof.solve import limits
from tensorproof.solve.layered import LayeredSolver
from tensorproof.solve.port import Answer
from tensorproof.solve.sampling import satisfied
from tensorproof.terms.ints import Atom, Dim, Origin, symbol
from tensorproof.terms.labels import label
from tensorproof.terms.predicates import Predicate, Truth, conj, flag, implies, negate
from tensorproof.terms.substitution import symbols
from tensorproof.terms.tensor import TensorType
from tensorproof.values.heap import MISSING, Heap
from tensorproof.values.objects import Bound
from tensorproof.values.path import Path, Stated
from tensorproof.values.python_values import AFTER_ERROR, Unknown

MOST_FACTS = 60
"""With more facts than these a question is asked with the nearest alone."""
SOLVER_STEPS = 60
"""What one question to the solver counts as."""


class Interpreter:
    """Implements `values.machine.Machine`."""

    def __init__(self, modules: Modules, decisions: dict[Predicate, bool] | None = None, argv: tuple[str, ...] = ()) -> None:
        self.heap = Heap()
        self.path = Path()
        self.session = Session()
        self.branching = Branching(self)
        self.modules = modules
        self.decisions = decisions or {}
        self.argv = argv
        self.told = modules.main_source.told
        self.any_round = 0
        """How many loops are in a round that stands for all of them: there, what two ways leave of a list is told by how many it has."""
        self.stood_for_many = 0
        """How many loops had such a round."""
        self.facts: list[Predicate] = []
        self.lasting: list[bool] = []
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
        self.limit = limits.current()
        self.here: ast.AST | None = None
        """The statement that runs."""
        self.spans: list[ast.AST] = []
        self.frames: list[Any] = []
        self.left: set[Any] = set()
        """The code of functions whose calls nested too deeply: they are not followed deeper again."""
        self.fitting: dict[int, Any] = {}
        """The layers that took a call."""
        self.unknown_writes = 0
        """How often something unknown was called or written into: what it held before is not known to be there."""
        self.bounds_asked: dict[str, dict[str, tuple[str, float]]] = {}
        """The bounds with which an unknown number was compared, by its key and by the name of the question."""
        self.occurrences: dict[str, int] = {}
        self.model_state: dict[str, Any] = {"files": self.heap.space(), "interpreter": self.heap.space()}
        """What library models keep between calls: seeds, the default element type, the files that the program writes, the graph of TensorFlow 1."""
        self.bound_on: dict[int, Any] = {}
        self.ranged = False
        """Whether a range of whole numbers is known of any tensor."""
        self.sizes: dict[int, tuple[Any, ...]] = {}
        """The tuples that are a torch.Size."""
        self.made_at: dict[int, tuple[Any, str, Span]] = {}
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
        if self.steps > self.limit.steps or self.limit.expired:
            raise self.out_of_budget()

    def out_of_budget(self) -> OutOfBudget:
        """For `raise`: the limit of the file is reached here."""
        line = self.user_span(self.here).line if self.frames and self.here is not None else 0
        return OutOfBudget(self.limit.sentence + (f" at line {line}" if line else ""))

    # --- facts ---

    def assume(self, fact: Truth, lasting: bool = True) -> None:
        """From here on this holds. What lasts outlives the branch in which it was found: there it holds for the rest of the path."""
        if not isinstance(fact, bool):
            del self.lasting[len(self.facts) :]
            self.facts.append(fact)
            self.lasting.append(lasting)

    def leave_facts(self, at: int) -> list[Truth]:
        """Drop the facts from a place on; what lasts of them is given back, each under the conditions that stood before it."""
        guard: Truth = True
        kept: list[Truth] = []
        for fact, lasting in zip(self.facts[at:], self.lasting[at:]):
            if lasting:
                kept.append(implies(guard, fact))
            else:
                guard = conj(guard, fact)
        del self.facts[at:], self.lasting[at:]
        return kept

    def implied(self, p: Predicate) -> bool | None:
        """What the facts say of a predicate, if anything."""
        if not self.facts:
            return None
        if p in self.facts:
            return True
        opposite = negate(p)
        if opposite in self.facts:
            return False
        mine = self._symbols_of(p)
        if not mine or all(mine.isdisjoint(self._symbols_of(f)) for f in self.facts):
            if p.kind == "flag":
                return questions.followed(self.facts, p)
            return None if not any(f.kind in ("or", "and") for f in self.facts) else self._asked(p, opposite)
        return self._asked(p, opposite)

    def _asked(self, p: Predicate, opposite: Truth) -> bool | None:
        """What the solver says; the same question is asked again in every replay, so answers are kept."""
        tries = self._about(p)
        key = (p, *map(frozenset, tries))
        answers = self.modules.answers
        if key not in answers:
            self.step(SOLVER_STEPS)
            answers[key] = self._solved(p, opposite, tries)
        return answers[key]

    def _symbols_of(self, p: Predicate) -> frozenset[Atom]:
        found = self.modules.symbols.get(p)
        if found is None:
            found = self.modules.symbols[p] = symbols(p)
        return found

    def _about(self, p: Predicate) -> list[list[Predicate]]:
        """Facts to ask with: those that speak of nothing but what the question speaks of, and those that share a symbol with it or with such a fact."""
        if p.kind in ("flag", "and", "or"):
            return [self.facts]
        mine = self._symbols_of(p)
        named = [self._symbols_of(fact) for fact in self.facts]
        near = [fact for fact, atoms in zip(self.facts, named) if atoms and atoms <= mine]
        found, met, grown = [False] * len(self.facts), set(mine), True
        while grown:
            grown = False
            for i, atoms in enumerate(named):
                if not found[i] and not met.isdisjoint(atoms):
                    found[i] = grown = True
                    met |= atoms
        wide = [fact for fact, kept in zip(self.facts, found) if kept]
        return [near] if len(wide) == len(near) or len(wide) > MOST_FACTS else [near, wide]

    def _solved(self, p: Predicate, opposite: Truth, tries: list[list[Predicate]]) -> bool | None:
        for facts in tries:
            known = _without_implied(facts)
            if satisfied([*known, p]) and isinstance(opposite, Predicate) and satisfied([*known, opposite]):
                continue
            solver = LayeredSolver(200_000)
            for fact in known:
                solver.assume(fact)
            if solver.check([("p", p)]).answer is Answer.UNSAT:
                return False
            if solver.check([("not p", opposite)]).answer is Answer.UNSAT:
                return True
        return None

    def symbol(self, name: str, lo: int, hi: int | None, origin: Origin) -> Dim:
        self.session.names.add(name)
        return symbol(name, lo, hi, origin)

    def open_truth(self, word: str, node: ast.AST) -> Predicate:
        """A truth value that nobody knows."""
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
        """The innermost place in the project's own code: a finding inside a library's source is told where the project calls it."""
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
        if predicate is False or (self.handlers and not iteration.decided(self, predicate)):
            raised = self.raised(kind, message, node, code)
            raised.quiet, raised.own = _from_data(predicate), kind == "AssertionError"
            raise raised
        if self.handlers:
            return
        requirement = Requirement(code or f"python/{_CODES.get(kind, 'raise')}", predicate, message)
        self.path.stated.append(Stated(requirement, self.user_span(node), (), tuple(self.facts), exception=kind))
        self.assume(predicate)

    def may_raise(self, kind: str, message: str, node: ast.AST) -> None:
        """What data hold may bring about this exception. Where the program waits for it, both are followed; else it is taken not to happen."""
        if self.guards:
            raised_by_data.may_raise(self, kind, message, node)

    def next_or(self, value: Any, default: Any, node: ast.AST) -> Any:
        """`next(value, default)` of data."""
        return raised_by_data.next_or(self, value, default, node)

    def ended_here(self, p: Predicate) -> bool:
        """Whether an iterator is at its end, which a `try` waits for: where nobody knows, the `try` runs both ways in an iteration that stands for many."""
        number = self.heap.branch_since(-1)
        known = self.implied(p)
        if known is None and self.any_round and number:
            raise Undecided(number, p)
        return iteration.decided(self, p) if known is None else known

    def raised(self, kind: Any, message: str, node: ast.AST, code: str = "", trail: tuple[Step, ...] = ()) -> Raised:
        """For `raise self.raised(...)`."""
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
        """Nobody catches it: on this way, which the facts describe, the program dies here."""
        if raised.quiet:
            self.path.left = True
        else:
            name = raised.kind if isinstance(raised.kind, str) else raised.kind.name
            failed = raised.refused or Requirement(raised.code, False, raised.message)
            self.path.stated.append(Stated(failed, raised.span, raised.trail, tuple(self.facts), raised.fix, name, raised.call))

    def warn(self, code: str, message: str, node: ast.AST) -> None:
        if self.failures:
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

    def bound(self, name: str, value: Any, node: ast.AST) -> None:
        """A name was bound: remember where, for trails and for what an editor shows."""
        if isinstance(value, TensorType):
            self.made_at[id(value)] = (value, name, self.user_span(node))
        if self.frames and self.frames[-1].module is self.modules.main:
            self.bound_on[getattr(node, "lineno", 0)] = value

    def remember(self, owner: Any, name: str, old: Any) -> None:
        """A library's record is about to be changed in place: inside an open branch that cannot be undone, so the run forks."""
        number = self.heap.branch_since(-1)
        if number:
            raise Fork(number)

    def compare(self, op: type[ast.cmpop], a: Any, b: Any, node: ast.AST) -> Any:
        return comparisons.compare(self, op, a, b, node)

    def binary(self, op: type[ast.operator], a: Any, b: Any, node: ast.AST, in_place: bool = False) -> Any:
        return operations.binary(self, op, a, b, node, in_place)

    def unary(self, op: type[ast.unaryop], a: Any, node: ast.AST) -> Any:
        return operations.unary(self, op, a, node)

    def item(self, owner: Any, index: Any, node: ast.AST) -> Any:
        return subscripts.load(self, owner, index, node)

    def set_item(self, owner: Any, index: Any, value: Any, node: ast.AST) -> None:
        subscripts.store(self.frames[-1], owner, index, value, node)

    def delete_item(self, owner: Any, index: Any, node: ast.AST) -> None:
        subscripts.delete(self, owner, index, node)

    def enter(self, manager: Any, node: ast.AST) -> tuple[Any, Any]:
        """Enter a context: what it gives, and how it is left."""
        return exceptions.enter(self, manager, node)

    def catches(self, raised: Raised, wanted: Any, node: ast.AST) -> bool:
        """Whether `except wanted` would take an exception of the program."""
        return exceptions.takes(self, raised, wanted, node)

    def throw(self, generator: Any, raised: Raised, node: ast.AST) -> bool:
        """Raise inside a generator at its yield: whether it ended and so swallowed the exception."""
        return generators.throw(self, generator, raised, node)

    def in_class(self, cls: Any, name: str) -> Any:
        """An attribute of a class of the program, along the order of its bases; MISSING when there is none."""
        return attributes.in_class(self, cls, name)[0]

    def contains_instance(self, container: Any, item: Any, node: ast.AST) -> Any:
        found, _ = attributes.in_class(self, container.cls, "__contains__")
        if found is not MISSING:
            return self.truth(self.call(Bound(found, container), (item,), {}, node), node)
        listed = self.iterate(container, node)
        return Unknown("in", number="bool") if listed is None else equality.contains(self, tuple(listed), item, node)

    # --- what models and compiled code call ---

    def call(self, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
        return calling.call(self, callee, args, kwargs, node)

    def run_layer(self, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
        """Apply a layer's operator, whoever called it."""
        return layer_calls.run_layer(self, layer, args, kwargs, node)

    def spelling(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
        return calling.call_spelling(self, name, args, kwargs, node)

    def layer_forward(self, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> Any:
        return layer_calls.own_forward(self, layer, args, kwargs, node)

    def attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        return attributes.load(self, owner, name, node)

    def set_attribute(self, owner: Any, name: str, value: Any, node: ast.AST) -> None:
        stores.store(self, owner, name, value, node)

    def iterate(self, value: Any, node: ast.AST) -> list[Any] | None:
        return iteration.items(self, value, node)

    def open_rounds(self, value: Any, node: ast.AST) -> Any:
        """The rounds of a loop over items that were not counted out; None for any other value."""
        return uncounted.open_rounds(self, value, node)

    def attempt(self, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST) -> tuple[Any, Raised | None]:
        """Call something whose exception does not go to the caller."""
        return callbacks.attempt(self, callee, args, kwargs, node)

    def run_text(self, text: str, node: ast.AST) -> bool:
        """Run Python source in the main file's namespace."""
        return callbacks.run_text(self, text, node)

    def each(self, rounds: list[Any], act: Callable[[Any], Truth | None], node: ast.AST, source: Any = None) -> None:
        """Run the iterations of a loop of a library; `act` may give a condition that ends it."""
        library_loops.each(self, rounds, act, node, source)

    def truth(self, value: Any, node: ast.AST) -> Truth:
        return operations.truth(self, value, node)

    # --- the run ---

    def lost_rest(self, reason: str) -> None:
        """What comes after this place is not analysed."""
        self.path.gaps.append(Gap("the rest of the program", Span(self.modules.main.path, 1, 1, 1, 1), reason))

    def run(self) -> Path:
        """Run the program's main file."""
        try:
            self.modules.run_main(self)
            if AT_EXIT in self.model_state:
                from tensorproof.libraries import python_callbacks

                python_callbacks.at_exit(self)
        except Raised as raised:
            self.uncaught(raised)
            self.path.ended = True
            endings.ended(self, raised)
        except Dead:
            self.path.ended = True
        except (OutOfBudget, RecursionError) as spent:
            reason = str(spent) if isinstance(spent, OutOfBudget) else "the program nests too deeply"
            self.lost_rest(reason)
        except Fork:
            raise
        except Exception as bug:  # ours: a gap, never the program's error
            self.lost_rest(failures.reason(bug))
        if "tape" in self.model_state and not self.limit.expired:
            from tensorproof.libraries import tape_ranks

            tape_ranks.finish(self)
        decided = (p if side else negate(p) for p, side in self.decisions.items())
        self.path.facts = (*self.facts, *(p for p in decided if isinstance(p, Predicate)))
        return self.path


def _from_data(predicate: Truth) -> bool:
    """Whether a truth hangs on what data hold: that it may be otherwise is no error, whoever may catch it."""
    return isinstance(predicate, Predicate) and (predicate.kind == "flag" or any(map(_from_data, predicate.args)))


_CODES = {
    "NameError": "name", "UnboundLocalError": "name", "AttributeError": "attribute", "TypeError": "type", "ValueError": "value", "KeyError": "key",
    "IndexError": "index", "ZeroDivisionError": "zero-division", "AssertionError": "assert", "OverflowError": "overflow", "ImportError": "import",
    "ModuleNotFoundError": "import", "RecursionError": "recursion", "StopIteration": "stop-iteration", "FileNotFoundError": "file",
    "NotImplementedError": "not-implemented",
}  # fmt: skip


def _without_implied(facts: list[Predicate]) -> list[Predicate]:
    """The facts, each once, without a disjunction one part of which is a fact itself."""
    known = dict.fromkeys(facts)
    return [fact for fact in known if fact.kind != "or" or not any(part in known for part in fact.args)]
