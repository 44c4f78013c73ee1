"""What the losses of connectionist temporal classification compute, with NumPy: the likelihood of all paths that spell labels with blanks between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorproof.catalogue.networks.formulas.loss import settle
from tensorproof.ops.evaluation import Arguments, Undefined, plain
from tensorproof.ops.mathematics import log_softmax

if TYPE_CHECKING:
    from tensorproof.ops.arrays import Array, Numpy


def label_rows(target: Any, lengths: Any) -> list[Any]:
    """The labels of each sequence, from a matrix or from one vector of all."""
    if len(target.shape) == 2:
        return [row[:n] for row, n in zip(target, lengths)]
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    return [target[end - n : end] for end, n in zip(ends, lengths)]


def spelled(labels: Any, blank: int) -> list[int]:
    """Labels with blanks around them."""
    return [blank, *(p for label in labels for p in (label, blank))]


def prefixes(np: Numpy, x: Array, places: list[int], blank: int, merged: bool = True) -> list[list[Array]]:
    """For each step of x (steps, classes) the logarithms of the probabilities of all paths that end at each place. `merged`: a label that is repeated
    without a blank between counts once."""
    nothing = np.asarray(-np.inf)
    made = [[x[0, places[s]] if s < 2 else nothing for s in range(len(places))]]
    for t in range(1, x.shape[0]):
        before, row = made[-1], []
        for s, place in enumerate(places):
            total = np.logaddexp(before[s] if merged or place == blank else nothing, nothing)
            if s > 0:
                total = np.logaddexp(total, before[s - 1])
            if s > 1 and (place != places[s - 2] if merged else place != blank):
                total = np.logaddexp(total, before[s - 2])
            row.append(np.add(total, x[t, place]))
        made.append(row)
    return made


def ending(np: Numpy, row: list[Array]) -> Array:
    """The likelihood of the paths that end at the last label, or at the blank behind it."""
    return row[-1] if len(row) == 1 else np.logaddexp(row[-1], row[-2])


def path_likelihood(np: Numpy, x: Array, labels: Array, blank: int) -> Array:
    """The logarithm of the probability of all paths through x (steps, classes) that spell the labels."""
    places = spelled(labels.tolist(), blank)
    if not x.shape[0]:
        return np.asarray(0.0) if len(places) == 1 else np.asarray(-np.inf)
    return ending(np, prefixes(np, x, places, blank)[-1])


def _given(np: Numpy, a: Arguments) -> tuple[Array, list[int], list[int], list[Array]]:
    """Steps of all sequences, their lengths, those of their labels, and the labels."""
    x = a["x"] if len(a["x"].shape) == 3 else np.expand_dims(a["x"], 1)
    steps, counts = (plain(np, a[name]).reshape(-1).tolist() for name in ("input_lengths", "target_lengths"))
    rows = label_rows(plain(np, a["target"]).astype(np.int64), counts)
    if any(np.any((row < 0) | (row >= x.shape[2])) for row in rows):
        raise Undefined  # torch reads beside the tensor
    return x, steps, counts, rows


def _losses(np: Numpy, x: Array, steps: list[int], rows: list[Array], blank: int) -> Array:
    return np.stack([np.negative(path_likelihood(np, x[:t, i], row, blank)) for i, (t, row) in enumerate(zip(steps, rows))])


def ctc(np: Numpy, a: Arguments) -> Array:
    x, steps, counts, rows = _given(np, a)
    losses = _losses(np, x, steps, rows, a["blank"])
    if a["zero_infinity"]:
        losses = np.where(np.isinf(losses), 0.0, losses)
    if a["reduction"] == "mean":
        return np.mean(np.true_divide(losses, np.maximum(np.asarray(counts), 1)))
    return settle(np, a, losses if len(a["x"].shape) == 3 else losses.reshape(()))


def ctc_and_prefixes(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    """Prefixes beyond the length of a sequence or of its labels are not set."""
    x, steps, counts, rows = _given(np, a)
    if set(steps) != {x.shape[0]} or len(set(counts)) > 1:
        raise Undefined
    paths = [np.stack([np.stack(row) for row in prefixes(np, x[:, i], spelled(labels.tolist(), a["blank"]), a["blank"])]) for i, labels in enumerate(rows)]
    return _losses(np, x, steps, rows, a["blank"]), np.stack(paths)


# --- labels at places of a sparse matrix ---


def _likelihood_and_slope(np: Numpy, logs: Array, labels: list[int], blank: int, merged: bool) -> tuple[Array, Array]:
    """The loss of one sequence, and its slope by the logits: what is likely less what is likely on the paths that spell the labels."""
    places = spelled(labels, blank)
    forth, back = prefixes(np, logs, places, blank, merged), prefixes(np, np.flip(logs, 0), places[::-1], blank, merged)
    whole, slopes = ending(np, forth[-1]), []
    for t in range(logs.shape[0]):
        through = [np.subtract(np.add(f, b), logs[t, p]) for p, f, b in zip(places, forth[t], reversed(back[-1 - t]))]
        fractions = [np.where(np.isinf(whole), 0.0, np.exp(np.subtract(one, whole))) for one in through]
        spent = [sum((share for share, p in zip(fractions, places) if p == label), np.asarray(0.0)) for label in range(logs.shape[1])]
        slopes.append(np.subtract(np.exp(logs[t]), np.stack(spent)))
    return np.negative(whole), np.stack(slopes)


def ctc_of_places(np: Numpy, a: Arguments) -> tuple[Array, Array]:
    x, lengths, owners = a["x"], plain(np, a["lengths"]).tolist(), plain(np, a["target_indices"])[:, 0].tolist()
    values, blank, merged = plain(np, a["target_values"]).tolist(), x.shape[2] - 1, bool(a["ctc_merge_repeated"])
    if not lengths or any(value >= blank for value in values):
        raise Undefined  # a blank as a label
    losses, slopes = [], []
    for i, steps in enumerate(lengths):
        labels = [v for v, owner in zip(values, owners) if owner == i]
        if steps == 0 or len(labels) > steps:
            losses.append(np.asarray(0.0))
            slopes.append(np.zeros((x.shape[0], x.shape[2])))
            continue
        if a["preprocess_collapse_repeated"]:
            labels = [label for at, label in enumerate(labels) if not at or label != labels[at - 1]]
        loss, slope = _likelihood_and_slope(np, log_softmax(np, x[:steps, i], 1), labels, blank, merged)
        losses.append(loss)
        slopes.append(np.concatenate([slope, np.zeros((x.shape[0] - steps, x.shape[2]))]))
    return np.stack(losses), np.stack(slopes, 1)
