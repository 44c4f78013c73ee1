"""A limit for calls of a library that do not return."""

from __future__ import annotations

import subprocess
import threading

PATIENCE = 300.0
"""Seconds for which a child process may say nothing."""


class Watch:
    """Ends a process that says nothing for too long: a call of a library that does not return."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.timer = threading.Timer(PATIENCE, process.kill)
        self.timer.start()

    def again(self) -> None:
        self.end()
        self.timer = threading.Timer(PATIENCE, self.process.kill)
        self.timer.start()

    def end(self) -> None:
        self.timer.cancel()
