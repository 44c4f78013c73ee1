"""Rules over convolutions that are written in two ways."""
