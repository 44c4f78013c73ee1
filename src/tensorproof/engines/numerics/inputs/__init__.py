"""What a program does not compute: its inputs, sizes, weights and variables, and the ranges that are assumed of them."""
