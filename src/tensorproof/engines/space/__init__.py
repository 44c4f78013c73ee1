"""Decides every vector of a hyperparameter space from the requirements that one analysis leaves open."""
