"""A package that exists only when the truth is made: programs of tests/partial are checked without it."""
