"""Enters what a program defines and names and its analysis did not reach: a class in the registry of an unknown package, a function for its trainer.

Only where the program is `unknown` for another reason. As in a file without a driver, an error is reported when it holds for every argument.
"""

from __future__ import annotations

import ast

from tensorproof.app.entering import Entering, started
from tensorproof.app.given_functions import errors_of_given
from tensorproof.app.infer import infer
from tensorproof.app.program import Options
from tensorproof.diagnostics.diagnostic import Certainty, Diagnostic, Severity
from tensorproof.diagnostics.errors import BadInput
from tensorproof.frontends.python.entry.driver import drives
from tensorproof.frontends.python.entry.entry import entries
from tensorproof.frontends.python.entry.uncalled import Uncalled, definitions, value_of, was_entered
from tensorproof.frontends.python.errors import OutOfBudget
from tensorproof.frontends.python.machine import Interpreter
from tensorproof.frontends.python.modules.environment import site_packages
from tensorproof.frontends.python.modules.modules import Modules
from tensorproof.frontends.python.modules.places import places
from tensorproof.frontends.python.modules.source import Source
from tensorproof.terms.records import replace


def errors_of_unreached(source: Source, options: Options, last: Interpreter) -> list[Diagnostic]:
    """The errors of definitions that no run has entered and that the file uses by name."""
    found = errors_of_given(source, last)
    if found:
        return found
    open_ = [one for one in definitions(source.tree) if not was_entered(value_of(last, one)) and _is_used(source.tree, one)]
    if not open_:
        return []
    alone = replace(source, tree=ast.Module([node for node in source.tree.body if not drives(node)], []))
    site = site_packages(options.environment)
    modules = Modules(alone, places(alone, options.roots, imported=True), site)
    try:
        modules_of_file = {entry.name for entry in entries(started(modules, {}))}
        entering = Entering(modules)
        for one in open_:
            owner = one.owner.name if one.owner is not None else one.name
            if owner in modules_of_file and one.node.name in ("forward", owner):
                found += [d for i in infer(alone, owner, {}, options.roots, site, modules) for d in i.diagnostics]
            elif owner not in modules_of_file and entering.has_work_left:
                found += entering.one(one).diagnostics
    except (OutOfBudget, BadInput):  # what was found before is kept
        pass
    return [replace(d, certainty=Certainty.POSSIBLE) for d in found if d.severity is Severity.ERROR]


def _is_used(tree: ast.Module, one: Uncalled) -> bool:
    """Whether the file names the definition apart from where it stands, or hands it to a decorator."""
    top = one.owner if one.owner is not None else one.node
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return bool(top.decorator_list) or top.name in names
