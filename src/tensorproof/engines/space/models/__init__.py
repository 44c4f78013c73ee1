"""Spaces of saved models: hyperparameters of nodes, layers and inputs, and the graph with other values for them."""
