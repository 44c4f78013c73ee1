"""Losses and metrics of Keras: called by themselves, and the program's own in compile and fit."""

from __future__ import annotations

from tests.attack.drawing import Draw


def draw(d: Draw) -> None:
    d.line("import numpy as np", "import keras\nfrom keras import layers, ops")
    d.pick(called_losses, called_metrics, own_loss, own_metric)(d)


def called_losses(d: Draw) -> None:
    b, n = d.sizes(2)
    name = d.pick(
        "MeanSquaredError",
        "MeanAbsoluteError",
        "BinaryCrossentropy",
        "CategoricalCrossentropy",
        "Huber",
        "LogCosh",
        "CosineSimilarity",
        "KLDivergence",
        "Poisson",
        "Hinge",
    )
    reduction = d.wrong(d.pick("'sum'", "'sum_over_batch_size'", "'none'", "None"), "'mean_over'")
    d.line(
        f"loss = keras.losses.{name}(reduction={reduction})",
        f"y, p = np.random.randint(0, 2, ({b}, {n})).astype('float32'), np.random.rand({b}, {d.wrong(n, d.near(n))}).astype('float32')",
        f"v = loss(y, p{d.wrong(d.pick('', f', sample_weight=np.ones({b})'), f', sample_weight=np.ones({d.near(b)})')})",
        f"print(v.shape, ops.reshape(v, {f'({d.wrong(b, b + 1)},)' if reduction in (repr('none'), 'None') else f'({d.wrong(1, 2)},)'}))",
    )
    if d.often():
        sparse = d.pick("keras.losses.SparseCategoricalCrossentropy(from_logits=True)", "keras.losses.sparse_categorical_crossentropy")
        labels = d.wrong(f"np.random.randint(0, {n}, ({b},))", f"np.random.randint(0, {n}, ({b}, {n}))", f"np.full(({b + 1},), 0)")
        d.line(f"print(({sparse})({labels}, np.random.rand({b}, {n}).astype('float32')))")


def called_metrics(d: Draw) -> None:
    b, n = d.sizes(2)
    match d.rng.randrange(5):
        case 0:
            d.line(
                f"m = keras.metrics.{d.pick('CategoricalAccuracy', 'TopKCategoricalAccuracy', 'CategoricalCrossentropy')}()",
                f"m.update_state(np.eye({n})[np.zeros({b}, int)], np.random.rand({d.wrong(b, d.near(b))}, {n}))",
            )
        case 1:
            d.line(
                f"m = keras.metrics.{d.pick('SparseCategoricalAccuracy', 'SparseTopKCategoricalAccuracy')}()",
                f"m.update_state(np.zeros({d.wrong(b, d.near(b))}, int), np.random.rand({b}, {n}))",
            )
        case 2:
            d.line(
                f"m = keras.metrics.{d.pick('MeanSquaredError', 'MeanAbsoluteError', 'RootMeanSquaredError', 'BinaryAccuracy')}()",
                f"m.update_state(np.zeros(({b}, {n})), np.zeros(({b}, {d.wrong(n, d.near(n))})){d.wrong('', f', sample_weight=np.ones({b + 1})')})",
            )
        case 3:
            kind = d.pick("AUC()", "Precision()", "Recall()", f"F1Score(average={d.wrong(repr('macro'), repr('macros'))}, threshold=0.5)")
            d.line(f"m = keras.metrics.{kind}", f"m.update_state(np.ones(({b}, {n})), np.full(({b}, {d.wrong(n, d.near(n))}), {d.wrong(0.5, 0.5)}))")
        case _:
            d.line(
                f"m = keras.metrics.{d.pick('Mean', 'Sum')}(name='m')",
                f"m.update_state({d.wrong('[1.0, 2.0]', repr('loss'))})",
                f"m({d.pick(3.0, 'np.ones(4)')})",
            )
    d.line(
        f"print(m.result(){d.wrong('', '.foo')}, float({d.wrong('ops.mean(m.result())', 'np.zeros(3)')}))",
        f"m.{d.wrong('reset_state', 'reset_states_now')}()",
        f"print(m.name, {d.wrong('m.variables', 'm.weights_list')})",
    )


def own_loss(d: Draw) -> None:
    n, c, k = d.sizes(3)
    body = d.wrong(
        d.pick("ops.mean(ops.square(y_true - y_pred), axis=-1)", "ops.sum(ops.abs(y_true - y_pred))", "ops.mean(ops.maximum(y_true * y_pred, 0.0))"),
        "np.mean(np.square(y_true - y_pred))",
        "ops.mean(ops.square(y_true - y_pred), axis=3)",
        f"ops.mean(ops.matmul(y_true, y_pred[:, :{max(1, c - 1)}]))",
        f"ops.sum(y_pred) if y_pred.shape[1] == {c} else missing",
        f"ops.sum(y_pred) if y_pred.shape[1] != {c} else missing",
        "y_true.numpy().mean()",
        "float(ops.mean(y_pred))",
    )
    if d.often(0.6):
        d.line("def loss(y_true, y_pred):", f"    return {body}")
        shown = d.wrong("loss", "loss()", "loss")
    else:
        d.line(
            "class Loss(keras.losses.Loss):",
            f"    def __init__(self, scale={d.pick(1.0, 2.0)}):",
            f"        super().__init__({d.wrong('', 'scal=2')})",
            "        self.scale = scale",
            f"    def {d.wrong('call', 'compute')}(self, y_true, y_pred):",
            f"        return self.scale * ({body})",
        )
        shown = d.wrong("Loss()", "Loss")
    d.line(
        f"model = keras.Sequential([layers.Dense({k}, activation='relu'), layers.Dense({c})])",
        f"model.compile(optimizer='adam', loss={shown}, metrics=[{d.wrong(repr('mae'), 'lambda a: a', 'lambda a, b: ops.mean(a)')}])",
        f"model.fit(np.zeros((8, {n})), np.zeros((8, {d.wrong(c, d.near(c))})), batch_size={d.size(2, 4)}, verbose=0)",
    )


def own_metric(d: Draw) -> None:
    n, c = d.sizes(2)
    d.line(
        "class Count(keras.metrics.Metric):",
        "    def __init__(self, name='count', **kwargs):",
        f"        {d.wrong('super().__init__(name=name, **kwargs)', 'super().__init__(names=name)', 'pass')}",
        f"        self.total = self.add_weight({d.pick('', 'shape=(), ')}name='total', initializer={d.wrong(repr('zeros'), repr('zero_s'))})",
        f"    def update_state(self, y_true, y_pred{d.wrong(', sample_weight=None', '')}):",
        f"        self.total.{d.wrong('assign_add', 'add')}(ops.sum(ops.{d.pick('abs', 'square')}({d.wrong('y_true - y_pred', 'ops.matmul(y_true, y_pred)')})))",
        f"    def {d.wrong('result', 'value')}(self):",
        f"        return self.total{d.pick('', ' / 2', ' * 1.0')}",
        *(["    def reset_state(self):", f"        self.total.assign({d.wrong(0.0, [0.0, 0.0])})"] if d.often() else []),
        f"model = keras.Sequential([layers.Dense({c})])",
        f"model.compile('adam', 'mse', metrics=[{d.wrong('Count()', 'Count')}])",
        f"h = model.fit(np.zeros((8, {n})), np.zeros((8, {c})), verbose=0, epochs=2)",
        f"print(h.history['{d.wrong('count', 'Count')}'])",
    )
