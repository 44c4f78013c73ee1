"""Python's own argparse as the model of argparse runs it: it refuses by an exception, and passes on values that it does not know."""

from __future__ import annotations

import argparse
from typing import Any

from tensorproof.values import Unknown, Value


class RefusedLine(Exception):
    """The program would refuse its command line with this sentence."""


class Given:
    """What no command line gives: the user will choose it."""

    def __init__(self, name: str, kind: argparse.Action) -> None:
        self.name, self.kind = name, kind


class PassedOn:
    """A value of the program that argparse only passes on."""

    def __init__(self, value: Value) -> None:
        self.value = value


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise RefusedLine(message)

    def exit(self, status: int = 0, message: str | None = None) -> Any:
        raise RefusedLine(message or "it prints its help and ends")

    def print_help(self, file: Value = None) -> None:
        return None

    def _print_message(self, message: str, file: Value = None) -> None:
        return None

    def _get_formatter(self) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(self.prog, width=80)  # else it asks for the terminal's width, and imports much to do so


class UnmodelledAction(argparse.Action):
    """An action class of the program: its default holds; that it is used is a gap."""

    def __call__(self, parser: Value, namespace: Value, values: Value, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, PassedOn(Unknown(f"the action of {option_string or self.dest}")))
