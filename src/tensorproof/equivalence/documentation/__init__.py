"""What the documentation of a library says of the parameters of its public names, and calls drawn from that."""
