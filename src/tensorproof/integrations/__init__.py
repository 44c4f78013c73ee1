"""Where people search: hyperparameter spaces as Python objects, and what puts them into Optuna, Ray Tune, KerasTuner, Hydra and ConfigSpace.

Each tool has a module of its own, which alone imports it; `from tensorproof.integrations import Space` imports none of them."""

from tensorproof.integrations.space import Space, Verdict

__all__ = ["Space", "Verdict"]
