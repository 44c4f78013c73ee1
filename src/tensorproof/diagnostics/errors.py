"""What a reader raises when its input is not what it should be. A program's own errors are diagnostics, never exceptions."""

from __future__ import annotations


class BadInput(Exception):
    """An input that cannot be read: missing, truncated, foreign or too large. Its text is one clear sentence for the user."""
