"""How long loops are run round by round."""

WAIT = 4
"""How many iterations of a loop are run before one is tried that stands for the rest."""
DEAR = 20_000
"""How many steps the rest must take for that; a tenth of it where the rounds branch, since what they leave may grow with each."""
