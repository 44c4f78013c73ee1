"""Keras: Sequential and functional models, own layers, compile and fit, losses, metrics and callbacks."""

from __future__ import annotations

from tests.attack.drawing import Draw


def draw(d: Draw) -> None:
    d.line("import numpy as np", d.pick("import keras\nfrom keras import layers", "from tensorflow import keras\nfrom tensorflow.keras import layers"))
    d.pick(dense, dense, convolution, functional, own_layer, own_model, recurrent, fitted, fitted, multi, saved, built)(d)


def dense(d: Draw) -> None:
    n, m, c = d.sizes(3)
    d.line(
        f"model = keras.Sequential([{d.pick(f'keras.Input(({n},)), ', f'layers.InputLayer(shape=({n},)), ', '')}layers.Dense({m}, activation={d.wrong(repr(d.pick('relu', 'tanh')), repr('rellu'))}), layers.Dense({c})])"
    )
    d.line(
        f"y = model(np.zeros((2, {n}), dtype='float32'))",
        f"print(np.asarray(y).reshape(2, {d.wrong(c, c + 1)}))",
        f"print(model(np.ones((3, {d.wrong(n, n + 1)}), dtype='float32')).shape)",
        f"w, b = model.layers[{d.wrong(-1, 5)}].get_weights()",
        f"print(w.reshape({d.wrong(m, m + 1)}, {c}))",
    )


def convolution(d: Draw) -> None:
    n, f = d.size(8, 12), d.size(2, 5)
    d.line(
        f"model = keras.Sequential([keras.Input(({n}, {n}, {d.wrong(3, 3)})), layers.Conv2D({f}, {d.wrong(3, n + 1)}, padding={d.wrong(repr(d.pick('same', 'valid')), repr('sames'))}), layers.MaxPooling2D(2), {d.pick('layers.Flatten()', 'layers.GlobalAveragePooling2D()')}, layers.Dense(4)])",
        f"y = model.predict(np.zeros((2, {n}, {n}, {d.wrong(3, 1)})), verbose=0)",
        f"print((y + np.zeros((2, {d.wrong(4, 5)}))).shape)",
    )


def functional(d: Draw) -> None:
    n, m, k = d.sizes(3)
    d.line(
        f"a = keras.Input(shape=({n},))",
        f"b = keras.Input(shape=({m},))",
        f"x = layers.Dense({k})(a)",
        f"y = layers.Dense({d.wrong(k, k + 1)})(b)",
        f"z = layers.{d.pick('Add', 'Multiply', 'Subtract', 'Average')}()({d.wrong('[x, y]', 'x')})",
        f"model = keras.Model({d.wrong('[a, b]', 'a')}, layers.Dense(1)(z))",
        f"print(model([np.zeros((4, {n})), np.zeros(({4}, {d.wrong(m, n)}))]).shape)",
    )


def own_layer(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        "class Scale(layers.Layer):",
        "    def __init__(self, units):",
        f"        {d.wrong('super().__init__()', 'pass')}",
        "        self.units = units",
        "    def build(self, shape):",
        f"        self.w = self.add_weight(shape=(shape[{d.wrong(-1, 3)}], self.units){d.wrong('', ', initializers=1')})",
        "    def call(self, x):",
        f"        return keras.ops.matmul({d.wrong('x, self.w', 'self.w, x')})",
    )
    d.line(f"y = Scale({m})(np.ones((3, {n}), dtype='float32'))", f"print(keras.ops.reshape(y, (3, {d.wrong(m, m + 1)})))")


def own_model(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        "class Net(keras.Model):",
        "    def __init__(self):",
        "        super().__init__()",
        f"        self.d1 = layers.Dense({m}, activation='relu')",
        "        self.d2 = layers.Dense(2)",
        "    def call(self, x, training=False):",
        f"        return self.{d.wrong('d2', 'd3')}(self.d1(x))",
        "net = Net()",
        f"net.compile({d.wrong('optimizer', 'optimiser')}={d.wrong(repr('adam'), repr('adamm'))}, loss='mse')",
        f"net.fit(np.zeros((6, {n})), np.zeros(({d.wrong(6, 7)}, {d.wrong(2, 3)})), epochs=1, batch_size=3, verbose=0)",
        f"print(net.predict(np.zeros((2, {d.wrong(n, n + 1)})), verbose=0).shape)",
    )


def recurrent(d: Draw) -> None:
    t, n, h = d.sizes(3)
    d.line(
        f"model = keras.Sequential([keras.Input(({t}, {n})), layers.{d.pick('LSTM', 'GRU', 'SimpleRNN')}({h}, return_sequences={d.wrong(True, False)}), layers.{d.pick('LSTM', 'GRU')}({h}), layers.Dense(1)])",
        f"print(model(np.zeros((2, {t}, {d.wrong(n, n + 1)}))).shape)",
    )


def fitted(d: Draw) -> None:
    n, c, k = d.sizes(3)
    c += 1
    sparse = d.often()
    loss = "sparse_categorical_crossentropy" if sparse else "categorical_crossentropy"
    d.line(
        f"model = keras.Sequential([layers.Dense({k}), layers.Dense({c}, activation='softmax')])",
        f"model.compile('adam', loss='{d.wrong(loss, 'crossentropy')}', metrics=['{d.wrong('accuracy', 'acuracy')}'])",
        f"x = np.random.rand(8, {n})",
    )
    d.line(
        f"y = np.random.randint(0, {d.wrong(c, c)}, ({d.wrong(8, 9)},))"
        if sparse
        else f"y = keras.utils.to_categorical(np.random.randint(0, {c}, 8), {d.wrong(c, c + 1)})"
    )
    d.line(
        f"h = model.fit(x, y, batch_size={d.size(2, 4)}, epochs=2, validation_split={d.pick(0.25, 0.5)}, verbose=0{d.pick('', ', callbacks=[keras.callbacks.EarlyStopping(patience=1)]')})",
        f"print(h.history['{d.wrong('val_loss', 'val_losses')}'][{d.wrong(0, 9)}], model.evaluate(x[:, :{d.wrong(n, n - 1)}], y, verbose=0)[{d.wrong(1, 2)}])",
    )


def multi(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        f"i = keras.Input(shape=({n},), name='i')",
        f"a, b = layers.Dense({m}, name='a')(i), layers.Dense(1, name='b')(i)",
        "model = keras.Model(i, [a, b])",
        f"model.compile('sgd', loss={d.wrong(['mse', 'mae'], ['mse'], ['mse', 'mae', 'mse'])!r})",
        f"model.fit(np.zeros((4, {n})), [np.zeros((4, {d.wrong(m, m + 2)})), np.zeros((4, 1))], verbose=0)",
        f"p, q = model.predict(np.zeros((2, {n})), verbose=0)",
        f"print(p.reshape(2, {d.wrong(m, m + 1)}))",
    )


def saved(d: Draw) -> None:
    n, m, k = d.sizes(3)
    d.line(
        f"one = keras.Sequential([keras.Input(({n},)), layers.Dense({m}), layers.BatchNormalization()])",
        f"two = keras.Sequential([keras.Input(({n},)), layers.Dense({d.wrong(m, k)}), layers.{d.wrong('BatchNormalization', 'LayerNormalization')}()])",
        "two.set_weights(one.get_weights())",
        "print(len(one.weights), two.layers[0].kernel.shape, two.count_params())",
    )


def built(d: Draw) -> None:
    n, m, _k = d.sizes(3)
    d.line(
        f"model = keras.Sequential([layers.Dense({m})])",
        f"model.build((None, {n}))" if d.often() else f"model(np.zeros((1, {n})))",
        f"model.add(layers.{d.pick(f'Reshape(({m}, 1))', f'Reshape((1, {d.wrong(m, m + 1)}))')})",
        f"print(model(np.zeros((2, {d.wrong(n, n + 1)}))).shape, model.{d.wrong('summary', 'sumary')})",
    )
