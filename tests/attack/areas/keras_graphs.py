"""Models of Keras as graphs: several inputs, shared layers, masks, recurrent and attention layers, own layers with state, convolutions that meet."""

from __future__ import annotations

from tests.attack.drawing import Draw


def draw(d: Draw) -> None:
    d.line("import numpy as np", "import keras\nfrom keras import layers, ops")
    d.pick(
        merged,
        shared,
        masked,
        sequences,
        attention,
        wrapped,
        pictures,
        up_and_down,
        residual,
        nested,
        own_layer,
        own_model,
        lambdas,
        operations,
        reshaped,
        configured,
        preprocessed,
    )(d)


def merged(d: Draw) -> None:
    n, m, k = d.sizes(3)
    kind = d.pick("Add", "Multiply", "Maximum", "Average", "Subtract", "Concatenate", "Dot(axes=1)", "Minimum")
    together = kind.startswith("Concat")
    d.line(
        f"a, b = keras.Input(shape=({n},)), keras.Input(({d.wrong(m, m)},), name='b')",
        f"x = layers.Dense({k})(a)",
        f"y = layers.Dense({k + 1 if together else d.wrong(k, d.near(k))})(b)",
        f"z = layers.{kind}{'' if '(' in kind else '()'}({d.wrong('[x, y]', 'x', '[x]')})",
        f"out = layers.Dense({d.pick(1, 3)}, {d.wrong('activation', 'activations')}='{d.wrong(d.pick('relu', 'gelu', 'softmax', 'sigmoid'), 'swishy')}')(z)",
        f"model = keras.Model(inputs={d.wrong('[a, b]', 'a', '[x, b]')}, {d.wrong('outputs', 'output')}={d.pick('out', '[out]', '[out, x]')})",
        f"r = model([np.zeros((4, {n})), np.zeros((4, {d.wrong(m, d.near(m))}))])",
        "print(r[0].shape if isinstance(r, list) else r.shape)",
        f"print(model.predict([np.zeros((4, {n})), np.zeros(({d.wrong(4, 5)}, {m}))], verbose=0)[0].shape, model.{d.wrong('input_shape', 'in_shape')}[{d.wrong(1, 2)}])",
    )


def shared(d: Draw) -> None:
    n, k = d.sizes(2)
    d.line(
        f"enc = {d.pick(f'layers.Dense({k})', f'keras.Sequential([layers.Dense({k}), layers.ReLU()])')}",
        f"a, b = keras.Input(({n},)), keras.Input(({d.wrong(n, d.near(n))},))",
        f"s = layers.Dot(axes={d.wrong(1, 2)}, normalize=True)([enc(a), enc(b)])" if d.often() else "s = ops.abs(enc(a) - enc(b))",
        "model = keras.Model([a, b], s)",
        f"print(model([np.zeros((2, {n})), np.zeros((2, {n}))]).shape, len(model.trainable_weights), enc.{d.wrong('weights[0]', 'weights[7]')}.shape)",
        f"sub = keras.Model({d.wrong('a', 'b')}, enc.{'output' if d.often(0.2) else 'name'})" if d.often(0.1) else "sub = keras.Model(a, enc(a))",
        f"print(ops.reshape(sub(np.zeros((3, {n}))), (3, {d.wrong(k, d.near(k))})))",
    )


def masked(d: Draw) -> None:
    t, v, e, h = d.sizes(4)
    pooled = d.pick(
        "LSTM({h})",
        "GRU({h})",
        "GlobalAveragePooling1D()",
        "Bidirectional(layers.LSTM({h}))",
        "Bidirectional(layers.GRU({h}), merge_mode='{w}')",
        "GlobalMaxPooling1D()",
    )
    pooled = pooled.format(h=h, w=d.wrong("sum", "add"))
    d.line(
        f"model = keras.Sequential([{d.pick(f'keras.Input(({t},)), ', '')}layers.Embedding({v}, {e}, mask_zero={d.pick(True, False)}), {d.pick('', 'layers.Dropout(0.1), ', f'layers.Dense({e}), ')}layers.{pooled}, layers.Dense(2)])",
        f"x = np.random.randint(0, {d.wrong(v, v + 20)}, (3, {t}))",
        f"print(model(x{d.wrong('', '[:, :, None, None]')}).shape)",
        f"model.compile('adam', '{d.wrong('sparse_categorical_crossentropy', 'categorical_crossentropy')}')",
        "model.fit(x, np.zeros(3, int), verbose=0)",
        "mask = model.layers[0].compute_mask(x)",
        f"print({d.wrong('mask is None', 'mask.foo')}, model.predict(x[:, :{max(1, t - 1)}], verbose=0).reshape(3, {d.wrong(2, 3)}))"
        if d.often()
        else f"print(model.predict(x, verbose=0).reshape(3, {d.wrong(2, 3)}))",
    )


def sequences(d: Draw) -> None:
    t, n, h, k = d.sizes(4)
    cell = d.pick("LSTM", "GRU", "SimpleRNN")
    states = "h, c" if cell == "LSTM" else "h"
    padding = d.wrong("causal", "reflect")
    last = d.pick(f"TimeDistributed(layers.Dense({k}))", f"Dense({k})", f"Conv1D({k}, 2, padding='{padding}')")
    d.line(
        f"x = keras.Input(({d.pick(t, 'None')}, {n}))",
        f"out, {d.wrong(states, 'h, c, e', 'h' if cell == 'LSTM' else 'h, c')} = layers.{cell}({h}, return_state=True, return_sequences={d.wrong(True, False)})(x)",
        f"y = layers.{cell}({d.wrong(h, d.near(h))}, return_sequences=True)(out, initial_state={d.wrong('[h, c]' if cell == 'LSTM' else d.pick('h', '[h]'), 'x')})",
        f"z = layers.{last}(y)",
        "model = keras.Model(x, [z, h])",
        f"a, b = model(np.zeros((2, {t}, {d.wrong(n, d.near(n))})))",
        f"print(ops.reshape(a, (2, {t}, {d.wrong(k, k + 1)})), b.shape[{d.wrong(1, 2)}])",
    )
    if d.often(0.4):
        d.line(
            f"r = layers.RNN({d.wrong(f'layers.{cell}Cell({h})', f'layers.{cell}({h})', f'[layers.GRUCell({h}), layers.Dense(2)]')})",
            f"print(ops.reshape(r(np.zeros((2, {t}, {n}), 'float32')), (2, {d.wrong(h, h + 1)})))",
        )


def attention(d: Draw) -> None:
    t, s, n, h = d.sizes(4)
    e = 2 * n
    d.line(
        f"q, k = keras.Input(({t}, {e})), keras.Input(({s}, {e}))",
        f"a = layers.MultiHeadAttention({d.wrong('num_heads', 'heads')}={d.pick(1, 2)}, key_dim={h})({d.wrong('q, k', 'q', 'k')})",
        f"x = layers.LayerNormalization()({d.pick('q + a', 'layers.Add()([q, a])')})",
        f"f = layers.Dense({d.wrong(e, d.near(e))})(layers.Dense({4 * n}, activation='{d.pick('relu', 'gelu')}')(x))",
        "x = x + f",
        f"y = layers.{d.pick('GlobalAveragePooling1D', 'Flatten')}()(x)",
        "model = keras.Model([q, k], layers.Dense(1)(y))",
        f"print(model([np.zeros((2, {d.wrong(t, d.near(t))}, {e})), np.zeros((2, {s}, {e}))]).shape)",
    )
    if d.often():
        d.line(
            f"m = layers.{d.pick('Attention', 'AdditiveAttention')}()",
            f"v = np.zeros((2, {t}, {e}), 'float32')",
            f"print(m({d.wrong('[v, v]', 'v', '[v]')}).shape, m([v, np.zeros((2, {s}, {d.wrong(e, e + 1)}), 'float32')]).shape)",
        )
    if d.often(0.4):
        mask = f"np.ones((2, {d.wrong(t, d.near(t))}, {t}), bool)"
        d.line(
            f"at = layers.MultiHeadAttention(2, {h})",
            f"o, w = at(v0 := np.zeros((2, {t}, {e}), 'float32'), v0, attention_mask={mask}, return_attention_scores={d.wrong(True, False)})",
            f"print(w.shape[{d.wrong(3, 4)}], at(v0, v0, {d.wrong('use_causal_mask', 'causal')}=True).shape)",
        )


def wrapped(d: Draw) -> None:
    t, n, k = d.sizes(3)
    inner = d.wrong(
        d.pick(f"layers.Dense({k})", "layers.Flatten()", f"keras.Sequential([layers.Dense({k}), layers.ReLU()])", "layers.Conv1D(2, 1)"), "layers.Conv2D(3, 3)"
    )
    rank = ", 3" if "Flatten" in inner or "Conv1D" in inner else ""
    d.line(
        f"x = keras.Input(({t}, {n}{rank}))",
        f"y = layers.TimeDistributed({inner})(x)",
        "model = keras.Model(x, y)",
        f"print(model(np.zeros((2, {t}, {d.wrong(n, d.near(n))}{rank}))).shape)",
        f"b = layers.Bidirectional({d.wrong(f'layers.LSTM({k}, return_sequences=True)', f'layers.Dense({k})', 'layers.LSTM')}, merge_mode={d.pick(repr('sum'), repr('concat'), 'None')})",
        f"r = b(np.zeros((2, {t}, {n}), 'float32'))",
        f"print(r[0].shape, layers.RepeatVector({d.wrong(k, repr('k'))})(np.zeros((2, {n}{d.wrong('', ', 2')}), 'float32')).shape)",
    )


def pictures(d: Draw) -> None:
    n, f, c = d.pick(8, 12, 16, 20), d.size(2, 5), d.pick(1, 3)
    layers_ = [
        f"layers.Conv2D({f}, 3, {d.pick('', 'strides=2, ')}padding='{d.pick('same', 'valid')}', activation='relu')",
        d.pick("layers.BatchNormalization()", "layers.Dropout(0.3)", "layers.SpatialDropout2D(0.2)", f"layers.GroupNormalization({d.wrong(1, f + 1)})"),
        d.pick("layers.MaxPooling2D()", f"layers.AveragePooling2D({d.wrong('2', repr('2'))})", "layers.ZeroPadding2D(1)", f"layers.Cropping2D({d.wrong('1', str(n))})"),
        d.pick(f"layers.DepthwiseConv2D({d.wrong(3, n + 3)})", f"layers.SeparableConv2D({f}, 1)", f"layers.Conv2D({2 * f}, 1, groups={d.wrong(1, f + 1)})", f"layers.Conv2D({f}, 1, dilation_rate=2{d.wrong('', ', strides=2')})"),
        d.pick("layers.GlobalMaxPooling2D()", "layers.Flatten()", "layers.GlobalAveragePooling2D(keepdims=True)"),
    ]  # fmt: skip
    d.line(
        f"model = keras.Sequential([keras.Input(({n}, {n}, {c}){d.wrong('', ', batch=2')}),",
        *(f"    {one}," for one in layers_),
        f"    layers.Dense({f}{d.wrong('', ', kernel_size=3')})])",
        f"y = model(np.zeros((2, {n}, {n}, {d.wrong(c, c + 1)})))",
        f"print(y.shape, y.shape[{d.wrong(-1, 6)}], model.layers[{d.wrong(0, 9)}].kernel.shape, model.output_shape[{d.wrong(1, 5)}])",
    )


def up_and_down(d: Draw) -> None:
    n, f = d.pick(8, 12, 16), d.size(2, 5)
    up = d.pick(
        f"layers.Conv2DTranspose({f}, {d.pick(2, 3)}, strides=2, padding='same')(x)",
        "layers.UpSampling2D(2)(x)",
        f"layers.UpSampling2D(2, interpolation='{d.wrong('bilinear', 'bilinea')}')(x)",
    )
    d.line(
        f"i = keras.Input(({n}, {n}, {d.pick(1, 3)}))",
        f"a = layers.Conv2D({f}, 3, padding={d.wrong(repr('same'), repr('valid'))})(i)",
        "x = layers.MaxPooling2D(2)(a)",
        f"x = layers.Conv2D({2 * f}, 3, padding='{d.wrong('same', 'valid')}')(x)",
        f"x = {up}",
        f"x = layers.Concatenate(axis={d.wrong(d.pick(-1, 3), 1, 4)})([x, a])",
        "model = keras.Model(i, layers.Conv2D(1, 1, activation='sigmoid')(x))",
        f"print(model(np.zeros((1, {n}, {n}, i.shape[-1]))).shape, model.get_layer(index={d.wrong(1, 40)}).{d.wrong('output', 'outputs_')}.shape)",
    )


def residual(d: Draw) -> None:
    n, f, c = d.pick(8, 10), d.sizes(2)[0], 3
    stride = d.pick(1, 2)
    d.line(
        "def block(x, filters, strides=1):",
        f"    y = layers.Conv2D(filters, 3, strides=strides, padding='same', {d.wrong('use_bias', 'bias')}=False)(x)",
        f"    y = layers.{d.wrong('Activation', 'Activations')}('relu')(layers.BatchNormalization()(y))",
        f"    if {d.wrong('strides > 1 or x.shape[-1] != filters', 'strides > 1 and False')}:",
        "        x = layers.Conv2D(filters, 1, strides=strides)(x)",
        "    return layers.add([x, y])" if d.often() else "    return x + y",
        f"i = keras.Input(({n}, {n}, {c}))",
        f"x = block(i, {f})",
        f"x = block(x, {d.pick(f, 2 * f)}, {stride})",
        f"model = keras.Model(i, layers.Dense(4)(layers.GlobalAveragePooling2D()(x)), name='{d.pick('net', 'resnet')}')",
        f"print(model.predict(np.zeros((2, {n}, {n}, {d.wrong(c, 1)})), verbose=0).shape, model.{d.wrong('summary()', 'summarize()')})",
    )


def nested(d: Draw) -> None:
    n, m, k = d.sizes(3)
    d.line(
        f"enc = keras.Sequential([keras.Input(({n},)), layers.Dense({m}, name='code')], name='enc')",
        f"dec = keras.Sequential([keras.Input(({d.wrong(m, d.near(m))},)), layers.Dense({n})], name='{d.wrong('dec', 'enc')}')",
        f"x = keras.Input(({n},))",
        "auto = keras.Model(x, dec(enc(x)))",
        "auto.compile('adam', 'mse')",
        f"auto.fit(np.zeros((4, {n})), np.zeros((4, {d.wrong(n, d.near(n))})), verbose=0)",
        f"code = keras.Model(enc.input{d.wrong('', 's_')}, enc.get_layer('{d.wrong('code', 'coda')}').output)",
        f"print(code(np.zeros((2, {n}))).shape, auto.get_layer('{d.wrong('enc', 'encoder')}').layers[{d.wrong(0, 3)}].units, len(auto.layers))",
        "print(enc.output.shape, enc.pop().name)" if d.often(0.3) else f"dec.add(layers.Dense({k}))\nprint(dec(np.zeros((1, {d.wrong(m, d.near(m))}))).shape)",
    )


def own_layer(d: Draw) -> None:
    n, m = d.sizes(2)
    options, dense = d.pick("", ", **kwargs"), d.often()
    d.line(
        "class Norm(layers.Layer):",
        f"    def __init__(self, units={m}{options}):",
        f"        super().__init__({d.wrong('', 'unit=3')})",
        "        self.units = units",
        f"        self.inner = layers.Dense({d.wrong('units', '-1')})" if dense else "        self.inner = layers.LayerNormalization()",
        "    def build(self, shape):",
        f"        self.scale = self.add_weight(shape={d.wrong('(shape[-1],)', '(shape[-1], 2)', 'shape')}, initializer='{d.wrong('ones', 'one')}', {d.wrong('trainable', 'train')}=True)",
        f"        {d.wrong('self.count', 'self.input')} = self.add_weight(shape=(), initializer='zeros', trainable=False)",
        f"    def call(self, x{d.pick('', ', training=None', ', scale=1.0')}):",
        f"        {d.pick('self.count.assign_add(1.0)', 'self.add_loss(ops.mean(x))', 'pass')}",
        f"        return self.inner(x * {d.wrong('self.scale', 'self.scales')})",
        "    def compute_output_shape(self, s):\n        return s" if d.often(0.2) and not dense else "",
        "layer = Norm()",
        f"y = layer(np.zeros((3, {n}), 'float32'){d.wrong('', ', 3, 4')})",
        f"print(y.shape, len(layer.weights), layer({d.wrong(f'np.zeros((3, {n}))', f'np.zeros((3, {n + 1}))')}).shape, layer.losses)",
        f"model = keras.Sequential([keras.Input(({n},)), Norm(), layers.Dense(1)])",
        "model.compile('sgd', 'mse')",
        f"model.fit(np.zeros((4, {n})), np.zeros(({d.wrong(4, 3)}, 1)), verbose=0)",
        f"print({d.wrong('layer.get_config()', 'layer.config')})" if options or d.often() else "",
    )


def own_model(d: Draw) -> None:
    n, m, k = d.sizes(3)
    d.line(
        "class Net(keras.Model):",
        f"    def __init__(self, hidden={m}):",
        f"        {d.wrong('super().__init__()', 'pass')}",
        f"        self.blocks = [layers.Dense(hidden, activation='relu') for _ in range({d.pick(1, 2, 3)})]",
        f"        self.{d.wrong('drop', 'layers')} = layers.Dropout(0.2)",
        f"        self.{d.wrong('out', 'metrics')} = layers.Dense({k})",
        f"    def call(self, inputs, training={d.pick('None', 'False')}):",
        f"        {d.wrong('a, b = inputs', 'a, b, c = inputs')}",
        f"        x = ops.concatenate([a, b], axis={d.wrong(-1, 0, 2)})",
        "        for f in self.blocks:",
        f"            x = f(x{d.wrong('', ', training=training, x=x')})",
        "        x = self.drop(x, training=training)" if d.often() else "        pass",
        f"        return {d.pick('self.out(x)', '{' + repr('y') + ': self.out(x)}')}",
        "net = Net()",
        f"r = net([np.zeros((2, {n}), 'float32'), np.zeros((2, {m}), 'float32')]{d.wrong(d.pick('', ', training=True'), ', train=True')})",
        "print(r['y'].shape)" if "'y'" in d.lines[-3] else f"print(ops.reshape(r, (2, {d.wrong(k, k + 1)})))",
        f"print(len(net.weights), net.{d.wrong('built', 'build_')}, net.blocks[{d.wrong(0, 3)}].units)",
        f"net([np.zeros((2, {d.wrong(n, d.near(n))}), 'float32'), np.zeros((2, {m}), 'float32')])",
    )


def lambdas(d: Draw) -> None:
    n, k = d.sizes(2)
    function = d.wrong(
        d.pick("lambda t: t * 2", "lambda t: ops.expand_dims(t, -1)", "lambda t: ops.mean(t, axis=1, keepdims=True)", "lambda t: t[:, :1]", "lambda t: ops.relu(t)"),
        "lambda t: t[:, 0, 0]", "lambda t, u: t", "lambda t: ops.mean(t, axis=2)", "lambda t: np.mean(t)", "lambda t: t.numpy()",
    )  # fmt: skip
    d.line(
        f"x = keras.Input(({n},))",
        f"y = layers.Lambda({function})(x)",
        f"y = layers.Activation({d.wrong(d.pick(repr('relu'), 'ops.tanh', repr('leaky_relu')), repr('reluu'))})(y)",
        f"model = keras.Model(x, layers.Dense({k})(layers.Flatten()(y)))",
        f"print(ops.reshape(model(np.zeros((2, {n}))), ({d.wrong(2, 3)}, {k})))",
    )


def operations(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(f"x = keras.{d.pick(f'Input(({b}, {c}))', f'random.normal(({a}, {b}, {c}))', f'ops.ones(({a}, {b}, {c}))')}")
    for _ in range(d.pick(2, 3)):
        d.line(
            d.pick(
                f"y = ops.matmul(x, ops.ones(({d.wrong(c, d.near(c))}, 2)))",
                f"y = ops.transpose(x, ({d.wrong('0, 2, 1', '0, 1', '0, 2, 3')}))",
                f"y = ops.concatenate([x, x[:, :, :{d.pick(1, 2)}]], axis={d.wrong(2, 1)})",
                f"y = ops.reshape(x, (-1, {b}, {d.wrong(c, d.near(c))}))",
                f"y = ops.sum(x, axis={d.wrong(d.pick(1, -1, '(1, 2)'), 3, -4)}) + 1",
                f"y = ops.einsum('{d.wrong('bij,kj->bik', 'bij,jk->bik', 'bi,kj->bik')}', x, ops.ones((3, {c})))",
                f"y = ops.split(x, {d.wrong(c, c + 1)}, axis=2)[{d.wrong(0, c)}]",
                f"y = ops.where(x > 0, x, {d.wrong('0.0', f'ops.zeros(({c + 1},))')})",
                f"y = ops.squeeze(x[:, :1], {d.wrong(1, 2)})",
                f"y = ops.expand_dims(x, {d.wrong(1, 5)})",
                f"y = ops.{d.wrong(d.pick('softmax', 'relu', 'log_softmax', 'sigmoid', 'gelu'), 'softmaxx')}(x)",
                f"y = ops.stack([x, {d.wrong('x', 'x[:, 1:]')}], axis=1)",
                f"y = ops.one_hot(ops.argmax(x, axis={d.wrong(-1, 3)}), {c})",
                f"y = ops.cast(x, '{d.wrong('float64', 'float65')}')",
            )
        )
        d.line("print(y.shape)")


def reshaped(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(
        f"x = keras.Input(({a * b},))",
        f"y = layers.Reshape(({a}, {d.wrong(b, d.near(b))}))(x)",
        f"y = layers.Permute(({d.wrong('2, 1', '0, 1', '1, 3')}))(y)",
        f"y = layers.{d.pick('ZeroPadding1D(1)', f'Cropping1D({d.wrong(0, b)})', 'Conv1D(3, 1)', f'MaxPooling1D({d.wrong(1, b + 1)})', 'UpSampling1D(2)')}(y)",
        f"model = keras.Model(x, layers.Dense({c})(layers.Flatten()(y)))",
        f"print(ops.reshape(model(np.zeros((2, {d.wrong(a * b, a * b + 1)}))), (2, {d.wrong(c, c + 1)})))",
    )


def configured(d: Draw) -> None:
    n, m = d.sizes(2)
    keyword = d.pick(
        f"kernel_initializer='{d.wrong('he_normal', 'he_norm')}'",
        f"kernel_regularizer={d.wrong(repr('l2'), repr('l3'))}",
        f"kernel_regularizer=keras.regularizers.{d.wrong('L2', 'L3')}(1e-3)",
        f"kernel_constraint=keras.constraints.MaxNorm({d.wrong('2.0', 'max=2.0')})",
        "use_bias=False",
        f"bias_initializer=keras.initializers.Constant({d.wrong(0.1, repr('a'))})",
        f"dtype='{d.wrong('float64', 'flot64')}'",
        f"activation=keras.layers.{d.wrong('LeakyReLU', 'LeakyReLu')}()",
    )
    d.line(
        f"layer = layers.Dense({m}, {keyword})",
        f"y = layer(np.ones((2, {n})))",
        "config = layer.get_config()",
        f"same = layers.Dense.from_config({d.wrong('config', 'layer', {'unit': 3})})",
        f"print(same.units, config[{d.wrong(repr('units'), repr('unit'))}], same.{d.wrong('built', 'is_built')})",
        f"layer.set_weights([np.zeros(({n}, {d.wrong(m, d.near(m))})){', np.zeros(' + str(m) + ')' if 'use_bias=False' not in keyword else ''}])",
        f"print(ops.reshape(layer.kernel, ({n}, {d.wrong(m, m + 1)})), layer.{'bias is None' if 'use_bias=False' in keyword else d.wrong('bias.shape[0]', 'bias.shape[1]')})",
    )


def preprocessed(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        d.pick(
            f"norm = layers.Normalization({d.pick('', 'axis=-1')})\n{d.wrong(f'norm.adapt(np.random.rand(5, {n}))', 'pass')}\nprint(norm(np.zeros((2, {d.wrong(n, d.near(n))}))).shape)",
            f"r = layers.Rescaling(1 / {d.wrong('255', '0')})\nprint(ops.reshape(r(np.zeros((2, {n}))), ({d.wrong(2, 3)}, {n})))",
            f"r = layers.Resizing({n}, {d.wrong(m, repr('m'))})\nprint(ops.reshape(r(np.zeros((2, 9, 9, 3), 'float32')), (2, {n}, {d.wrong(m, d.near(m))}, 3)))",
            f"f = keras.Sequential([layers.RandomFlip('{d.wrong('horizontal', 'horizontally')}'), layers.RandomRotation(0.1), layers.CenterCrop(4, 4)])\nprint(f(np.zeros((2, 9, 9, 3), 'float32')).shape)",
            f"c = layers.CategoryEncoding(num_tokens={n}, output_mode='{d.wrong('one_hot', 'onehot')}')\nprint(c(np.array([0, {d.wrong(1, 1)}])).shape)",
            f"lookup = layers.StringLookup(vocabulary=['a', 'b'{d.wrong('', ', ' + repr('a'))}])\nprint(lookup(np.array([['a'], ['c']])).shape, lookup.vocabulary_size())",
            f"dis = layers.Discretization({d.wrong('bin_boundaries', 'bins')}=[0.0, 1.0])\nprint(dis(np.zeros((2, {n}))).shape)",
            f"h = layers.Hashing(num_bins={d.wrong(n, 0)})\nprint(h(np.array([['a'], ['b']])).shape)",
        )
    )
