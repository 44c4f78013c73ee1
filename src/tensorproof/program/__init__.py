"""The program form: what a program or a saved graph computes, as records that every front end makes and every engine reads."""

from tensorproof.program.form import Carried, Changed, Computed, Join, Loop, Record, Same, Slice, Stack, computed
from tensorproof.program.recorder import Recorder

__all__ = ["Carried", "Changed", "Computed", "Join", "Loop", "Record", "Recorder", "Same", "Slice", "Stack", "computed"]
