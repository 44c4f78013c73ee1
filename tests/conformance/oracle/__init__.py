"""torch's own tables of operators and modules as an oracle: dumped once with torch, read ever after without it."""
