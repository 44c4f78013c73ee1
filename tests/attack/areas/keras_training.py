"""Training with Keras: callbacks, schedules, weights, own train steps and loops."""

from __future__ import annotations

from tests.attack.drawing import Draw


def draw(d: Draw) -> None:
    d.line("import numpy as np", d.pick("import keras\nfrom keras import layers, ops", "import tensorflow as tf\nimport keras\nfrom keras import layers, ops"))
    scenes = (
        callbacks,
        schedules,
        weighted,
        dictionaries,
        train_step,
        own_loop,
        optimizers,
        sequences,
        compiled_again,
        from_dataset,
        batch_calls,
        frozen,
    )
    d.pick(*scenes)(d)


def _classes(d: Draw, n: int) -> tuple[str, str]:
    """A loss over n classes with targets that fit it."""
    return d.pick(
        ("sparse_categorical_crossentropy", f"np.random.randint(0, {d.wrong(n, n)}, ({{}},))"),
        ("categorical_crossentropy", f"np.eye({n}, dtype='float32')[np.random.randint(0, {n}, ({{}},))]"),
        ("mse", f"np.random.rand({{}}, {n})"),
        ("kl_divergence", f"np.random.rand({{}}, {n})"),
    )


def callbacks(d: Draw) -> None:
    n, m = d.sizes(2)
    hooks = d.pick(
        "on_epoch_end(self, epoch, logs=None)",
        "on_train_batch_end(self, batch, logs=None)",
        "on_epoch_begin(self, epoch, logs=None)",
        "on_train_end(self, logs=None)",
    )
    wrong_hook = hooks.replace(", logs=None", "").replace("(self, ", "(").replace("(self", "(")
    body = d.pick(
        f"self.seen.append(self.model.layers[{d.wrong(0, 4)}].get_weights()[{d.wrong(0, 2)}].shape)",
        f"print((logs or {{}}).get('loss'), self.model.{d.wrong('optimizer', 'optimiser')}.learning_rate)",
        f"self.seen.append(self.model.predict(np.zeros((2, {d.wrong(n, d.near(n))})), verbose=0))",
        "self.model.stop_training = True",
        f"print(self.params[{d.wrong(repr('epochs'), repr('metrics_names'))}], {d.wrong('self.seen', 'self.lost')})",
    )
    if hooks.startswith(("on_epoch_end", "on_train_batch_end")):
        body = d.pick(body, f"self.seen.append(logs[{d.wrong(repr('loss'), repr('val_loss'))}])")
    d.line(
        "class Watch(keras.callbacks.Callback):",
        "    def __init__(self):",
        d.wrong("        super().__init__()\n        self.seen = []", "        super().__init__()"),
        f"    def {d.wrong(hooks, wrong_hook)}:",
        f"        {body}",
        f"model = keras.Sequential([{d.pick(f'keras.Input(({n},)), ', '')}layers.Dense({m})])",
        f"model.compile('sgd', 'mse', metrics=[{d.pick('', repr('mae'))}])",
        "watch = Watch()",
    )
    monitor = d.wrong(d.pick("val_loss", "loss"), "val_acc")
    other = d.pick(
        f"keras.callbacks.EarlyStopping(monitor={monitor!r}, patience=2, restore_best_weights={d.pick(True, False)}, mode={d.wrong(repr('min'), repr('mn'))})",
        f"keras.callbacks.ReduceLROnPlateau(factor={d.wrong(0.5, 1.5)}, patience=1)",
        f"keras.callbacks.LearningRateScheduler(lambda epoch, lr: {d.wrong('lr * 0.9', repr('a'), 'None')})",
        f"keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: {d.wrong('print(epoch)', 'print(epoch + logs)')})",
        f"keras.callbacks.ModelCheckpoint({d.wrong(repr('m.weights.h5'), repr('m.h5x'))}, save_weights_only=True)",
        "keras.callbacks.TerminateOnNaN()",
        f"keras.callbacks.CSVLogger('{d.wrong('log.csv', 'no/such/folder/log.csv')}')",
    )
    d.line(
        f"h = model.fit(np.zeros((8, {n})), np.zeros((8, {m})), epochs={d.pick(1, 3)}, validation_split=0.25, verbose=0, callbacks=[watch, {other}])",
        f"print(len(h.history[{d.wrong(repr('loss'), repr('accuracy'))}]), {d.wrong('h.epoch', 'h.epochs')}, {d.wrong('watch.seen', 'watch.losses')})",
    )


def schedules(d: Draw) -> None:
    n, m = d.sizes(2)
    schedule = d.pick(
        f"ExponentialDecay(0.1, decay_steps={d.pick(10, 100)}, {d.wrong('decay_rate', 'rate')}=0.9)",
        f"CosineDecay(0.1, {d.wrong('decay_steps', 'steps')}=10)",
        f"PiecewiseConstantDecay([2, 4], {d.wrong([0.1, 0.01, 0.001], [0.1, 0.01])})",
        "PolynomialDecay(0.1, 10)",
        f"InverseTimeDecay(0.1, 10{d.wrong(', 0.5', '')})",
    )
    optimizer = d.pick("SGD", "Adam", "RMSprop", "Adagrad", "AdamW", "Nadam")
    d.line(
        f"rate = keras.optimizers.schedules.{schedule}",
        f"opt = keras.optimizers.{optimizer}({d.wrong('learning_rate', 'lr_rate')}=rate{d.wrong('', ', clip=1.0')})",
        f"model = keras.Sequential([keras.Input(({n},)), layers.Dense({m})])",
        f"model.compile(opt, {d.wrong(repr('mse'), repr('mseloss'))})",
        f"model.fit(np.zeros((4, {n})), np.zeros((4, {d.wrong(m, d.near(m))})), verbose=0)",
        f"print(float(opt.learning_rate), rate({d.wrong('2', '')}), {d.wrong('opt.iterations', 'opt.steps')})",
    )
    if d.often(0.4):
        d.line(f"opt.learning_rate = {d.pick(0.1, 0.5)}")


def weighted(d: Draw) -> None:
    n, c = d.sizes(2)
    loss, targets = _classes(d, c)
    keyword = d.pick(
        f"sample_weight=np.ones({d.wrong(8, 7)})",
        f"class_weight={{i: 1.0 for i in range({d.wrong(c, c)})}}" if "cross" in loss else "sample_weight=np.ones((8, 1))",
        f"initial_epoch={d.pick(0, 1)}",
        f"steps_per_epoch={d.pick(1, 2)}",
        f"validation_data=(np.random.rand(4, {d.wrong(n, d.near(n))}), {targets.format(d.wrong(4, 5))})",
    )
    d.line(
        f"model = keras.Sequential([layers.Dense({c}, activation={d.pick(repr('softmax'), 'keras.activations.softmax', repr('sigmoid'))})])",
        f"model.compile({d.pick(repr('adam'), 'keras.optimizers.Adam(1e-3)')}, loss={loss!r}, {d.pick('metrics', 'weighted_metrics')}=[{d.pick(repr('accuracy'), repr('mae'), '')}])",
        f"h = model.fit(np.random.rand(8, {n}), {targets.format(d.wrong(8, 9))}, {keyword}, epochs=2, batch_size=4, verbose=0)",
        f"print(model.evaluate(np.random.rand(4, {d.wrong(n, d.near(n))}), {targets.format(4)}, verbose=0, {d.wrong('return_dict=True', 'as_dict=True')})[{d.wrong(repr('loss'), repr('auc'))}])",
    )


def dictionaries(d: Draw) -> None:
    n, m, k = d.sizes(3)
    d.line(
        f"a, b = keras.Input(({n},), name='a'), keras.Input(({m},), name='b')",
        f"h = layers.{d.pick('concatenate', 'Concatenate()')}([a, b])" if d.often() else "h = layers.Concatenate(axis=-1)([a, b])",
        "p = layers.Dense(1, name='p')(h)",
        f"q = layers.Dense({k}, activation='softmax', name='q')(h)",
        f"model = keras.Model({d.pick('[a, b]', '{' + repr('a') + ': a, ' + repr('b') + ': b}')}, {{'p': p, 'q': q}})",
        f"model.compile('adam', loss={{'p': 'mse', {d.wrong(repr('q'), repr('r'))}: 'sparse_categorical_crossentropy'}}, loss_weights={{'p': 1.0, {d.wrong(repr('q'), repr('s'))}: 0.5}}, metrics={{'q': [{d.wrong(repr('accuracy'), repr('acuracy'))}]}})",
    )
    x = f"{{'a': np.zeros((6, {n})), {d.wrong(repr('b'), repr('c'))}: np.zeros((6, {d.wrong(m, d.near(m))}))}}"
    if "[a, b]" in d.lines[-2] and d.often():
        x = f"[np.zeros((6, {d.wrong(n, m)})), np.zeros(({d.wrong(6, 5)}, {m}))]"
    d.line(
        f"h = model.fit({x}, {{'p': np.zeros(({d.wrong(6, 5)}, 1)), {d.wrong(repr('q'), repr('r'))}: np.zeros(6, int)}}, verbose=0, batch_size=3)",
        f"print(h.history[{d.wrong(d.pick(repr('p_loss'), repr('q_loss'), repr('q_accuracy')), repr('p_accuracy'))}])",
        f"out = model.predict({{'a': np.zeros((2, {n})), 'b': np.zeros((2, {m}))}}, verbose=0)",
        f"print(out[{d.wrong(repr('q'), repr('z'), '5')}].reshape(2, {d.wrong(k, k + 1)}))",
    )


def train_step(d: Draw) -> None:
    n, m = d.sizes(2)
    d.import_("import tensorflow as tf")
    mean = d.often()
    metric = d.pick("Mean(name='own')", "Mean(name='loss')") if mean else "MeanAbsoluteError(name='mae')"
    d.line(
        "class Net(keras.Model):",
        "    def __init__(self):",
        "        super().__init__()",
        f"        self.d = layers.Dense({m})",
        f"        self.m = keras.metrics.{metric}",
        "    def call(self, x):",
        "        return self.d(x)",
        "    @property",
        "    def metrics(self):",
        f"        return [{d.wrong('self.m', 'self.mm')}]",
        "    def train_step(self, data):",
        f"        {d.wrong('x, y = data', 'x, y, w = data', 'x = data')}",
        "        with tf.GradientTape() as tape:",
        f"            p = self(x{d.wrong(d.pick('', ', training=True'), ', mode=1')})",
    )
    computed = f"self.compute_loss({d.wrong('y=y, y_pred=p', 'yy=y, y_pred=p')})"
    measured = f"tf.reduce_mean(keras.losses.mse(y, {d.wrong('p', 'p[:, :1, None]')}))"
    zipped = f"apply_gradients({d.wrong('zip(grads, self.trainable_variables)', 'grads, self.trainable_variables')})"
    applied = f"apply({d.wrong('grads, self.trainable_variables', 'grads[:1], self.trainable_variables')})"
    d.line(
        f"            loss = {d.pick(computed, measured, 'tf.reduce_mean((y - p) ** 2)')}",
        f"        grads = tape.gradient({d.wrong('loss, self.trainable_variables', 'loss, self.variables_list', 'loss')})",
        f"        self.optimizer.{d.pick(zipped, applied)}",
        f"        self.m.update_state({'loss' if mean else d.wrong('y, p', 'y')})",
        f"        return {d.wrong('{m.name: m.result() for m in self.metrics}', '{m.name: m.results() for m in self.metrics}', 'self.m.numpy()')}",
        "net = Net()",
        f"net.compile({d.pick(repr('sgd'), 'optimizer=keras.optimizers.Adam()')}, loss='mse')",
        f"x, y = np.zeros((6, {n}), 'float32'), np.zeros((6, {d.wrong(m, d.near(m))}), 'float32')",
        f"net.fit(x, y, epochs={d.pick(1, 2)}, batch_size={d.pick(2, 3, 4)}, verbose=0)",
        f"print(net.predict(np.zeros((2, {d.wrong(n, d.near(n))}), 'float32'), verbose=0).shape)",
    )


def own_loop(d: Draw) -> None:
    n, m, b = d.size(3, 6), d.size(2, 5), d.pick(2, 4)
    d.import_("import tensorflow as tf")
    d.line(
        f"model = keras.Sequential([layers.Dense({m}, activation='relu'), layers.Dense({d.wrong(3, 2)})])",
        f"opt = keras.optimizers.{d.pick('Adam', 'SGD')}({d.pick('', '1e-2')})",
        f"loss_fn = keras.losses.{d.pick('SparseCategoricalCrossentropy(from_logits=True)', 'SparseCategoricalCrossentropy()')}",
        f"acc = keras.metrics.{d.pick('SparseCategoricalAccuracy', 'Mean')}()",
        f"ds = tf.data.Dataset.from_tensor_slices((np.random.rand({2 * b + 1}, {n}).astype('float32'), np.random.randint(0, {d.wrong(3, 3)}, {2 * b + 1}))).{d.pick('shuffle(8).', '')}batch({b})",
        *(["@tf.function"] if d.often() else []),
        "def step(x, y):",
        "    with tf.GradientTape() as tape:",
        "        out = model(x, training=True)",
        f"        loss = loss_fn({d.wrong('y, out', 'out, y', 'y')})",
        f"        {d.pick('loss += tf.add_n([tf.reduce_sum(v ** 2) for v in model.trainable_weights])', 'loss = loss + sum(model.losses)', 'pass')}",
        f"    g = tape.gradient(loss, model.{d.wrong(d.pick('trainable_weights', 'trainable_variables'), 'parameters')})",
        f"    opt.apply_gradients({d.wrong('zip(g, model.trainable_variables)', 'zip(model.trainable_variables, g)')})",
        "    return loss, out",
        f"for epoch in range({d.pick(1, 2)}):",
        f"    for {d.pick(d.wrong('x, y', 'x') + ' in ds', 'i, (x, y) in enumerate(ds)')}:",
    )
    update = "y, out" if "SparseCategoricalAccuracy" in "".join(d.lines) else "loss"
    d.line(
        f"        {d.wrong('loss, out', 'loss')} = step(x, y)",
        f"        acc.update_state({update})",
        f"    print(float(loss){d.wrong('', ', loss[0]')}, acc.result().numpy())",
        f"    acc.{d.wrong('reset_state()', 'reset()')}",
        f"print(out.shape, tf.reshape(out, (-1, {d.wrong(3, 7)})))",
    )


def optimizers(d: Draw) -> None:
    n, m = d.sizes(2)
    d.import_("import tensorflow as tf")
    d.line(
        f"v = tf.Variable(tf.zeros(({n}, {m})))" if d.often() else f"v = keras.Variable(np.zeros(({n}, {m}), 'float32'))",
        f"opt = keras.optimizers.{d.pick('SGD(0.1, momentum=0.9)', 'Adam(1e-3, clipnorm=1.0)', 'Adam()', 'RMSprop()', 'Lion()', 'SGD(' + d.wrong('0.1', repr('fast')) + ')')}",
        f"opt.apply_gradients([(tf.ones(({n}, {d.wrong(m, d.near(m))})), v)])",
        f"opt.build({d.wrong('[v]', 'v')})" if d.often(0.3) else f"print(len(opt.variables), {d.wrong('opt.learning_rate', 'opt.lr_now')})",
        f"opt.apply([tf.zeros(({n}, {m}))]{d.wrong('', ', [v, v]')})" if d.often(0.5) else f"opt.learning_rate.assign({d.wrong(0.5, '[0.5, 0.5]')})",
        f"print(v.numpy().reshape({d.wrong(n * m, n * m + 1)}))",
    )


def sequences(d: Draw) -> None:
    n, m, b = d.size(), d.size(), d.size(2, 4)
    d.line(
        "class Data(keras.utils.PyDataset):",
        f"    def __init__(self{d.pick('', ', **kwargs')}):",
        f"        {d.wrong('super().__init__()', 'pass')}",
        f"        self.x = np.random.rand(8, {n}).astype('float32')",
        f"    def {d.wrong('__len__', 'length')}(self):",
        f"        return {d.wrong(8 // b, 'self.x.shape[0] / 2')}",
        "    def __getitem__(self, i):",
        f"        return self.x[i * {b}:(i + 1) * {b}], np.zeros(({d.wrong(b, b + 1)}, {m}))",
        f"model = keras.Sequential([layers.Dense({d.wrong(m, m + 1)})])",
        "model.compile('adam', 'mse')",
        f"model.fit(Data(), epochs={d.pick(1, 2)}, verbose=0{d.wrong('', ', validation_split=0.2', ', y=np.zeros(3)')})",
        f"print(model.predict(Data(), verbose=0).shape, Data()[{d.wrong(0, 0)}][{d.wrong(1, 2)}].shape)",
    )


def compiled_again(d: Draw) -> None:
    n, m = d.sizes(2)
    model = f"keras.Sequential([keras.Input(({n},)), layers.Dense({m})])"
    d.line(
        f"model = {model}",
        d.wrong("model.compile('sgd', 'mse')", "pass"),
        f"{d.pick('model.fit', 'model.train_on_batch')}(np.zeros((4, {n})), np.zeros((4, {d.wrong(m, m + 2)})))",
        "opt = keras.optimizers.SGD()",
        "model.compile(opt, 'mae')",
        f"model.fit(np.zeros((4, {n})), np.zeros((4, {m})), verbose=0)",
        f"other = {d.wrong('keras.models.clone_model(model)', model)}",
        f"other.compile({d.wrong(repr('sgd'), 'opt')}, 'mse')",
        f"other.fit(np.zeros((4, {n})), np.zeros((4, {m})), verbose=0)",
        f"other.set_weights({d.wrong('model.get_weights()', 'model.get_weights()[:1]', 'model.weights[0]')})",
        f"model.save('{d.wrong('a.keras', 'a.model')}')",
        f"again = keras.models.load_model('{d.wrong('a.keras', 'b.keras')}')",
        f"print(again.predict(np.zeros((1, {d.wrong(n, d.near(n))})), verbose=0).shape)",
    )


def from_dataset(d: Draw) -> None:
    n, m, b = d.size(), d.size(), d.size(2, 4)
    d.import_("import tensorflow as tf")
    d.line(
        f"x, y = np.random.rand(8, {n}).astype('float32'), np.zeros((8, {m}), 'float32')",
        f"ds = tf.data.Dataset.from_tensor_slices({d.wrong('(x, y)', 'x', '(x, y[:7])')})",
        f"ds = ds.{d.pick('shuffle(8).', '', 'cache().')}{d.wrong(f'batch({b})', 'repeat(1)')}.prefetch({d.pick(1, 'tf.data.AUTOTUNE')})",
        f"model = keras.Sequential([layers.Dense({d.wrong(m, d.near(m))})])",
        "model.compile('adam', 'mse')",
        f"model.fit(ds, epochs=1, {d.pick('', f'validation_data=ds.take({d.pick(1, 2)}), ')}verbose=0{d.wrong('', ', batch_size=2', ', y=y')})",
        f"print(model.evaluate(ds, verbose=0){d.wrong('', '[0]')}, model.predict(ds, verbose=0).reshape(8, {d.wrong(m, m + 1)}).shape)",
    )


def batch_calls(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        f"model = keras.Sequential([layers.Dense({m})])",
        f"model.compile('sgd', 'mse', metrics=[{d.pick('', repr('mae'))}])",
        f"r = model.train_on_batch(np.zeros((3, {n})), np.zeros(({d.wrong(3, 4)}, {m})), return_dict={d.wrong(True, False)})",
        "print(r['loss'])",
        f"print(model.test_on_batch(np.zeros((3, {d.wrong(n, d.near(n))})), np.zeros((3, {m}))))",
        f"print(model.predict_on_batch(np.zeros((3, {n}))).reshape(3, {d.wrong(m, m + 1)}))",
        f"print(model.metrics_names, model.{d.wrong('count_params()', 'n_params()')}, {d.wrong('model.input_shape', 'model.inputshape')})",
    )


def frozen(d: Draw) -> None:
    n, m, c = d.sizes(3)
    d.line(
        f"base = keras.Sequential([keras.Input(({n},)), layers.Dense({m}), layers.BatchNormalization()])",
        "base.trainable = False",
        f"model = keras.Sequential([base, layers.Dropout({d.wrong(0.5, 1.5)}), layers.Dense({c})])",
        "model.compile('adam', 'mse')",
        f"model.fit(np.zeros((4, {n})), np.zeros((4, {d.wrong(c, d.near(c))})), verbose=0)",
        f"for layer in base.layers[{d.wrong(':-1', '7')}]:" if d.often() else "for layer in base.layers:",
        "    layer.trainable = True",
        f"print(len(model.trainable_weights), model.get_layer({d.wrong('index=0', 'index=9', repr('encoder'))}).name)",
        f"w = model.layers[{d.wrong(-1, 4)}].kernel",
        f"print(ops.reshape(w, ({d.wrong(m, m + 1)}, {c})))",
    )
