"""TensorFlow: pipelines of tf.data, loops and branches of graphs, tapes, arrays of tensors, ragged and sparse tensors, strings, modules."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import tensorflow as tf", "import numpy as np")
    compose(
        d,
        (
            pipelines,
            padded,
            generators,
            windows,
            while_loops,
            conditions,
            tapes,
            second_order,
            arrays,
            modules,
            ragged,
            texts,
            tables,
            retraced,
            autograph,
            scattered,
            images,
            linear_algebra,
            random_numbers,
            sliced,
            checkpoints,
            own_gradients,
        ),
        2,
    )


def pipelines(d: Draw) -> None:
    n, m, b = d.size(6, 10), d.size(2, 5), d.size(2, 4)
    d.line(f"ds = tf.data.Dataset.from_tensor_slices({{'a': np.zeros(({n}, {m}), np.float32), 'b': np.arange({d.wrong(n, n + 1)})}})")
    for _ in range(d.pick(1, 2, 3)):
        d.line(
            "ds = ds."
            + d.pick(
                f"map(lambda r: {{'a': r['{d.wrong('a', 'c')}'] * 2, 'b': r['b']}})",
                f"filter(lambda r: {d.wrong('r[' + repr('b') + '] > 1', 'r[' + repr('a') + '] > 1', '3')})",
                f"shuffle({d.wrong(4, repr('a'))})",
                f"take({d.pick(3, 5)})",
                "repeat(2)",
                "cache()",
                f"{d.wrong('prefetch', 'prefech')}(1)",
                "skip(1)",
                f"enumerate().map(lambda i, r: {d.wrong('r', 'i + r')})",
                f"shard({d.wrong('2, 0', '2, 2')})",
                f"map(lambda r: {{**r, 'a': tf.concat([r['a'], tf.zeros({d.pick(1, m)})], {d.wrong(0, 1)})}}).map(lambda r: {{**r, 'a': r['a'][:{m}]}})",
            )
        )
    d.line(
        f"for r in ds.batch({b}{d.pick('', ', drop_remainder=True')}):",
        f"    print(tf.reshape(r['{d.wrong('a', 'z')}'], (-1, {d.wrong(m, d.near(m))})).shape, r['b'].{d.wrong('shape', 'size')})",
        f"print(ds.element_spec['a'].shape[{d.wrong(0, 1)}])",
    )


def padded(d: Draw) -> None:
    n, b = d.size(4, 8), d.size(2, 4)
    d.line(
        f"ds = tf.data.Dataset.range(1, {n}).map(lambda i: tf.{d.pick('fill([i], i)', 'range(i)')})",
        f"ds = ds.{d.wrong(f'padded_batch({b})', f'batch({b})', f'padded_batch({b}, padded_shapes=[1])')}",
        "for x in ds:",
        f"    print(x.shape, tf.reduce_sum(x, axis={d.wrong(1, 2)}))",
    )


def generators(d: Draw) -> None:
    n, m = d.size(3, 6), d.size(2, 5)
    d.line(
        "def source():",
        f"    for i in range({n}):",
        f"        yield {d.wrong(f'np.zeros({m}, np.float32), i', f'np.zeros({m + 1}, np.float32), i', f'np.zeros({m}, np.float32)', f'np.zeros({m}), i, i')}",
        f"ds = tf.data.Dataset.from_generator({d.wrong('source', 'source()')}, output_signature=(tf.TensorSpec(({m},), tf.float32), tf.TensorSpec((), tf.int64)))",
        f"for {d.wrong('x, y', 'x, y, z')} in ds.batch(2):",
        f"    print(x + tf.zeros({d.wrong(m, d.near(m))}), y + {d.wrong(1, 1.5)})",
    )


def windows(d: Draw) -> None:
    n, w = d.size(6, 10), d.size(2, 4)
    d.line(
        f"ds = tf.data.Dataset.range({n}).window({w}, shift={d.wrong(1, 0)}, drop_remainder=True)",
        f"ds = ds.{d.wrong(f'flat_map(lambda v: v.batch({w}))', 'flat_map(lambda v: v + 1)', 'map(lambda v: tf.reduce_sum(v))')}",
        "for x in ds:",
        f"    print(tf.reshape(x, ({d.wrong(w, w + 1)},)))",
        f"total = tf.data.Dataset.range({n}).reduce({d.wrong('np.int64(0)', '0.0')}, lambda a, v: {d.wrong('a + v', 'tf.cast(a + v, tf.float32)')})",
        f"print(int(total), {d.wrong('next(iter(ds))', 'ds[0]')})",
    )


def while_loops(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        f"i, x = tf.constant(0), tf.zeros(({n}, {m}))",
        f"body = lambda i, x: {d.wrong('(i + 1, x + 1.0)', '(i + 1, tf.concat([x, x], 0))', 'i + 1', '(i + 1, x, x)', '(i + 1.0, x)')}",
        f"cond = lambda i, x: {d.wrong('i < 3', 'x > 3', 'i < 3.0')}",
        f"j, y = tf.while_loop({d.wrong('cond, body', 'cond')}, [i, x])" if d.often() else "j, y = tf.function(lambda: tf.while_loop(cond, body, [i, x]))()",
        f"print(tf.reshape(y, ({d.wrong(n, n + 1)}, -1)), int(j))",
    )


def conditions(d: Draw) -> None:
    n, m = d.sizes(2)
    graph = d.often()
    d.line(
        *(["@tf.function"] if graph else []),
        "def f(x):",
        f"    return tf.{d.pick('cond', 'cond')}(tf.reduce_sum(x) {d.pick('>', '<')} {d.wrong('0.0', '0')}, lambda: {d.wrong('x * 2', f'tf.zeros({n})', 'tf.cast(x, tf.int32)', '(x, x)')}, lambda: x - 1)",
        f"y = f(tf.constant(np.random.randn({n}, {m}), tf.float32))",
        f"print(tf.matmul(y, tf.zeros(({d.wrong(m, d.near(m))}, 2))))",
        f"print(tf.case([(tf.constant(True), lambda: {d.wrong('y', '1 / y.foo')})], default=lambda: y).shape)"
        if d.often(0.4)
        else f"print(tf.where(y > 0, y, {d.wrong('0.0', 'y[:, :1, None][0, 0, :0]', f'tf.zeros({m + 1})')}).shape)",
    )


def tapes(d: Draw) -> None:
    n, m, b = d.sizes(3)
    d.line(
        f"x = tf.{d.pick('ones', 'zeros')}(({b}, {n}))",
        f"w, c = tf.Variable(tf.random.normal(({n}, {m}))), tf.Variable(tf.zeros({d.wrong(m, d.near(m))}))",
        f"with tf.GradientTape({d.pick('', 'persistent=True', 'watch_accessed_variables=True')}) as tape:",
        f"    {d.pick('tape.watch(x)', 'pass')}",
        f"    y = tf.matmul({d.wrong('x, w', 'w, x')}) + c",
        "    loss = tf.reduce_mean(y ** 2)",
        f"{d.wrong('gw, gc', 'gw')} = tape.gradient({d.wrong('loss', 'loss.numpy()', 'float(loss)')}, [w, c])",
        f"w.{d.pick('assign_sub', 'assign')}(0.1 * {d.wrong('gw', 'tf.transpose(gw)', 'gc[:, None]')})",
        f"print(gc.shape[{d.wrong(0, 1)}], tf.norm(gw), {d.wrong('w.numpy()', 'gx')})",
    )
    if d.often(0.4):
        d.line(
            "with tf.GradientTape() as tape:",
            f"    z = {d.wrong('w * 2.0', 'tf.constant(1.0)')}",
            f"g = tape.gradient(z, w{d.wrong('', ', unconnected_gradients=' + repr('zeros'))})",
            "print(g.shape)",
        )


def second_order(d: Draw) -> None:
    n = d.size()
    d.line(
        f"x = tf.{d.pick('Variable', 'constant')}(tf.ones({n}))",
        f"with tf.GradientTape({d.wrong('persistent=True', '')}) as outer:",
        "    outer.watch(x)",
        "    with tf.GradientTape() as inner:",
        f"        {d.pick('inner.watch(x)', 'inner.watch([x])')}",
        "        y = tf.reduce_sum(x ** 3)",
        "    g = inner.gradient(y, x)",
        f"h = outer.{d.wrong('jacobian', 'jacobians')}(g, x)",
        f"print(tf.linalg.trace(h), outer.gradient(g, x).shape, tf.reshape(h, ({d.wrong(n * n, n * n + 1)},)))",
    )


def arrays(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        *(["@tf.function"] if d.often() else []),
        "def f(x):",
        f"    a = tf.TensorArray(tf.{d.wrong('float32', 'int32')}, size={d.pick(n, '0, dynamic_size=True')})",
        f"    for i in {d.pick('tf.range', 'range')}({n}):",
        f"        {d.wrong('a = a.write(i, x[i])', 'a = a.write(i, x)', 'a[i] = x[i]')}",
        f"    return a.{d.wrong(d.pick('stack', 'concat') if d.often(0.2) else 'stack', 'stacks')}()",
        f"y = f(tf.ones(({n}, {m})))",
        f"print(y + tf.zeros(({d.wrong(n, n + 1)}, {m})))" if "concat()" not in d.lines[-2] else f"print(y + tf.zeros({d.wrong(n * m, n * m + 1)}))",
    )


def modules(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        f"class Dense({d.wrong('tf.Module', 'object')}):",
        "    def __init__(self, a, b, name=None):",
        f"        {d.wrong('super().__init__(name=name)', 'super().__init__(names=name)')}",
        "        self.w = tf.Variable(tf.random.normal([a, b]), name='w')",
        f"        self.b = tf.Variable(tf.zeros([{d.wrong('b', 'a')}]))",
        *(["    @tf.function"] if d.often() else []),
        "    def __call__(self, x):",
        f"        return tf.nn.{d.wrong(d.pick('relu', 'softmax'), 'softmx')}(x @ {d.wrong('self.w', 'tf.transpose(self.w)')} + self.b)",
        f"layer = Dense({n}, {m})",
        f"y = layer(tf.ones((3, {d.wrong(n, d.near(n))})))",
        f"print(len(layer.{d.wrong('trainable_variables', 'parameters')}), layer.variables[{d.wrong(1, 2)}].shape, tf.reshape(y, (3, {d.wrong(m, m + 1)})))",
    )


def ragged(d: Draw) -> None:
    n = d.size(2, 4)
    d.line(
        f"r = tf.ragged.constant([[1, 2], [3], {d.wrong('[]', '4')}])",
        f"print(r.{d.wrong('to_tensor()', 'to_dense_now()')}.shape[{d.wrong(1, 2)}], r.row_lengths(), tf.reduce_sum(r, axis={d.wrong(1, 3)}))",
        f"s = tf.sparse.SparseTensor(indices=[[0, 0], [1, {d.wrong(2, 2)}]], values={d.wrong('[1.0, 2.0]', '[1.0]')}, dense_shape=[{n}, 4])",
        f"print(tf.sparse.to_dense(s) + tf.zeros(({d.wrong(n, n + 1)}, 4)), tf.sparse.sparse_dense_matmul(s, tf.ones(({d.wrong(4, 5)}, 2))).shape)",
    )


def texts(d: Draw) -> None:
    d.line(
        "s = tf.constant(['a b', 'c'])",
        f"print(tf.strings.length(s) + {d.wrong(1, 1.5)}, tf.strings.{d.wrong('split', 'splits')}(s).{d.pick('to_tensor()', 'flat_values')})",
        f"print(tf.strings.to_number({d.wrong('[' + repr('1.5') + ']', '[' + repr('x') + ']', '[1.0]')}), s {d.wrong('+ s', '* 2')}, s[0].numpy().decode({d.wrong('', '3')}))",
        f"print(tf.{d.wrong('strings.join([s, s])', 'add(s, 1)', 'strings.join([s, [' + repr('a') + '] * 3])')})",
    )


def tables(d: Draw) -> None:
    n = d.size(2, 4)
    d.line(
        f"t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], {d.wrong([1, 2], [1, 2, 3])}), {d.wrong(0, repr('none'))})",
        f"i = t.{d.wrong('lookup', 'find')}(tf.constant({d.wrong(['a', 'z'], [1, 2])}))",
        f"print(tf.one_hot(i, {n}).shape, tf.gather(tf.zeros((3, {n})), i) + tf.zeros((2, {d.wrong(n, n + 1)})))",
    )


def retraced(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        f"@tf.function({d.pick('', 'reduce_retracing=True', 'jit_compile=False')})",
        "def f(x, k=2):",
        f"    {d.pick('print(x.shape)', 'tf.print(x)', 'assert x.shape.rank == 2')}",
        f"    v = tf.{d.wrong('constant', 'Variable')}(1.0)",
        f"    return x * {d.wrong('tf.cast(k, x.dtype)', 'tf.cast(k, tf.int32)')} + v",
        f"print(f(tf.ones(({n}, {m}))).shape, f(tf.ones(({m}, {n})), 3).shape, f(tf.ones((2, 2)), k={d.wrong('4', repr('a'))}))",
        f"g = f.get_concrete_function(tf.TensorSpec([None, {m}], tf.float32))",
        f"print(g(tf.ones(({n}, {d.wrong(m, d.near(m))}))).shape, g.{d.wrong('structured_outputs', 'outs')})",
    )


def autograph(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        "@tf.function",
        "def f(x):",
        d.pick(
            f"    total = {d.wrong('tf.constant(0.0)', 'tf.constant(0)', 'None')}\n    for row in x:\n        total += tf.reduce_sum(row)\n    return total",
            f"    while tf.reduce_sum(x) < {d.wrong('10.0', '10')}:\n        x = {d.wrong('x + 1.0', 'tf.concat([x, x], 0)', 'x[0]')}\n    return x",
            f"    if tf.reduce_sum(x) > 0:\n        y = x * 2\n    else:\n        y = {d.wrong('x', 'None', 'tf.cast(x, tf.int32)', 'x[0]')}\n    return y",
            f"    out = []\n    for i in range({n}):\n        out.append(x[i{d.wrong('', ' + 1')}])\n    return tf.stack(out, axis={d.wrong(0, 3)})",
            f"    for i in tf.range({n}):\n        if i > 1:\n            {d.wrong('break', 'z = i')}\n        x += {d.wrong('1.0', 'i')}\n    return x{d.wrong('', ' + z')}",
            f"    out = []\n    for i in {d.wrong('range', 'tf.range')}({n}):\n        out.append(x[i])\n    return tf.stack(out)",
            "    if tf.reduce_any(x > 0):\n        return x\n    return x * 2"
            if d.often()
            else f"    if tf.reduce_any(x > 0):\n        return x\n    return {d.wrong('x - 1', 'x[0]', 'None')}",
            f"    n = {d.wrong('tf.shape(x)[0]', 'x.shape[0] / 2')}\n    return tf.zeros([n, 2])",
        ),
        f"y = f(tf.ones(({n}, {m})))",
        f"print(y.{d.wrong('shape', 'shapes')}, tf.reduce_mean(y))",
    )


def scattered(d: Draw) -> None:
    n, m, k = d.sizes(3)
    d.line(
        f"x = tf.zeros(({n}, {m}))",
        d.pick(
            f"y = tf.tensor_scatter_nd_update(x, [[0], [{d.wrong(n - 1, n)}]], tf.ones((2, {d.wrong(m, d.near(m))})))",
            f"y = tf.scatter_nd([[0], [{d.wrong(n - 1, n)}]], tf.ones((2, {m})), [{n}, {d.wrong(m, m + 1)}])",
            f"y = tf.gather_nd(x, [[0, {d.wrong(m - 1, m)}], [1, 0]])[:, None]" if d.often() else f"y = tf.boolean_mask(x, [True] * {d.wrong(n, d.near(n))})",
            f"y = tf.math.segment_sum(x, {d.wrong('list(range(' + str(n) + '))', 'list(range(' + str(n + 1) + '))')})",
            f"y = tf.math.unsorted_segment_sum(x, [0] * {d.wrong(n, n + 1)}, {k})",
            f"v = tf.Variable(x)\ny = v.scatter_nd_update([[0]], tf.ones((1, {d.wrong(m, m + 1)})))",
            f"v = tf.Variable(x)\nv[:, {d.wrong(0, m)}].assign(tf.ones({d.wrong(n, n + 1)}))\ny = v",
            f"y = tf.math.top_k(x, {d.wrong(1, m + 1)}).values",
            f"y = tf.tile(x, [{d.wrong('1, 2', '2', '1, 2, 3')}])",
            f"y = tf.pad(x, {d.wrong('[[1, 1], [0, 0]]', '[[1, 1]]', '[1, 1]')})",
        ),
        f"print(y.shape, tf.reduce_max(y, axis={d.wrong(0, 2)}).shape)",
    )


def images(d: Draw) -> None:
    n, c, f = d.size(5, 9), d.pick(1, 3), d.size(2, 4)
    d.line(
        f"x = tf.zeros((2, {n}, {n}, {c}))",
        d.pick(
            f"y = tf.nn.conv2d(x, tf.ones((3, 3, {d.wrong(c, c + 1)}, {f})), strides={d.wrong(1, [1, 2])}, padding='{d.wrong('SAME', 'same ')}')",
            f"y = tf.image.resize(x, [{d.wrong('4, 4', '4', '0, 4')}])",
            f"y = tf.image.{d.pick('random_crop', 'random_crop')}(x, [2, 4, {d.wrong(4, n + 1)}, {c}])",
            f"y = tf.nn.max_pool2d(x, {d.wrong(2, n + 2)}, 2, '{d.pick('VALID', 'VALID')}')",
            f"y = tf.nn.bias_add(x, tf.zeros({d.wrong(c, c + 1)}))",
            f"y = tf.image.{d.wrong('flip_left_right', 'flip_left')}(x)",
            f"y = tf.image.resize_with_crop_or_pad(x, {n + 1}, {d.wrong(3, 0)})",
            f"y = tf.image.grayscale_to_rgb(x[..., :{d.wrong(1, 2)}])" if c == 3 else "y = tf.image.adjust_brightness(x, 0.1)",
            f"y = tf.nn.space_to_depth(tf.zeros((1, 4, 4, 1)), {d.wrong(2, 3)})",
            f"y = tf.nn.moments(x, axes=[{d.wrong('0, 1', '0, 4')}])[0][None, None]",
        ),
        f"print(y.shape[{d.wrong(3, 5)}], tf.cast(y, tf.uint8).dtype)",
    )


def linear_algebra(d: Draw) -> None:
    n, m, b = d.sizes(3)
    d.line(
        f"a = tf.eye({n}, batch_shape=[{b}])",
        d.pick(
            f"y = tf.linalg.inv(a{d.wrong('', f'[:, :, :{n - 1}]')})",
            f"y = tf.linalg.solve(a, tf.ones(({b}, {d.wrong(n, d.near(n))}, {m})))",
            f"y = tf.linalg.matmul(a, tf.ones(({b}, {m}, {n})), transpose_b={d.wrong(True, False)})",
            f"y = tf.linalg.matvec(a, tf.ones(({b}, {d.wrong(n, d.near(n))})))[..., None]",
            "y = tf.linalg.cholesky(a)",
            f"y = tf.tensordot(a, tf.ones(({n}, {m})), axes={d.wrong('[[2], [0]]', '[[0], [0]]', '4')})" if b != n else "y = a",
            f"y = tf.linalg.band_part(a, {d.wrong('0, -1', '0')})",
            f"y = tf.einsum('{d.wrong('bij,bjk->bik', 'bij,jk->bik', 'bij,bjk->bix')}', a, a)",
            f"y = tf.linalg.diag(tf.ones(({b}, {n}))) + {d.wrong('a', 'tf.eye(' + str(n + 1) + ')')}",
            f"y = tf.matmul(a, a, {d.wrong('transpose_a', 'transpose')}=True)",
        ),
        f"print(y.shape, tf.transpose(y, [{d.wrong('0, 2, 1', '0, 1', '0, 2, 2')}]).shape)",
    )


def random_numbers(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        d.pick(
            f"x = tf.random.{d.pick('normal', 'uniform', 'truncated_normal')}({d.wrong(f'({n}, {m})', f'{n}, {m}')})",
            f"x = tf.random.uniform(({n}, {m}), {d.wrong('maxval=5, ', '')}dtype=tf.int32)",
            f"x = tf.random.Generator.from_seed(1).{d.wrong('normal', 'randn')}(({n}, {m}))",
            f"x = tf.random.stateless_normal(({n}, {m}), seed={d.wrong('(1, 2)', '1')})",
            f"x = tf.random.shuffle(tf.zeros(({n}, {m})))",
            f"x = tf.random.categorical(tf.zeros(({n}, 3)){d.wrong('', '[0]')}, {m})",
        ),
        "x = tf.cast(x, tf.float32)",
        f"q = x {d.pick('+', '*')} np.ones(({d.wrong(n, d.near(n))}, {m}), np.{d.wrong('float32', 'float64')})",
        f"print(q.numpy().{d.wrong('mean', 'means')}(), tf.argmax(q, {d.wrong(1, 2)}).shape, tf.clip_by_value(q, 0.0, {d.wrong('1.0', f'tf.ones({m + 1})')}).shape)",
    )


def sliced(d: Draw) -> None:
    n, m, k = d.sizes(3)
    d.line(
        f"x = tf.reshape(tf.range({n * m * k}), ({n}, {m}, {d.wrong(k, k + 1)}))",
        d.pick(
            f"y = x[{d.wrong(n - 1, n)}, ..., {d.wrong(0, k)}]",
            f"y = x[:, tf.newaxis, :, {d.wrong(-1, -k - 1)}]",
            f"y = tf.slice(x, [0, 0, 0], [{d.wrong(n, n + 1)}, -1, {d.wrong(1, k + 1)}])",
            f"y = tf.strided_slice(x, [0, 0], [{n}, {d.wrong(m, m)}], {d.wrong([1, 1], [1])})",
            f"y = tf.unstack(x, {d.wrong(n, n + 1)})[0]",
            f"y, z = tf.split(x, [1, {d.wrong(m - 1, m)}], axis=1)",
            f"y = x[x > {d.wrong(3, 3.5)}]",
            f"y = tf.roll(x, 1, {d.wrong(0, 3)})" if d.often() else f"y = tf.reverse(x, [{d.wrong(0, 3)}])",
            f"y = x[tf.constant({d.wrong(0, 1.0)})]",
            f"y = tf.sequence_mask([1, 2], {d.wrong(m, repr('m'))})",
        ),
        f"print(y.shape, {d.wrong('y.numpy().sum()', 'y.sum()', 'y.item()')})",
    )


def checkpoints(d: Draw) -> None:
    n, m = d.sizes(2)
    d.line(
        f"v = tf.Variable(tf.zeros(({n}, {m})){d.pick('', ', name=' + repr('v'), ', trainable=False')})",
        f"ck = tf.train.Checkpoint({d.wrong('v=v', 'v')})",
        f"path = ck.{d.wrong('save', 'saves')}('ck')",
        f"w = tf.Variable(tf.ones(({n}, {d.wrong(m, d.near(m))})))",
        "tf.train.Checkpoint(v=w).restore(path)",
        f"print(w.{d.pick('numpy().sum()', 'shape')}, v.assign_add({d.wrong('1.0 * w', 'tf.ones(7)[:, None, None]', 'tf.cast(w, tf.float64)')}).shape)",
        f"with tf.{d.wrong('name_scope', 'name_scopes')}('a'), tf.device('/CPU:0'):",
        f"    print((v * {d.wrong(2, repr('a'))}).{d.wrong('dtype', 'type')})",
    )


def own_gradients(d: Draw) -> None:
    n = d.size()
    d.line(
        "@tf.custom_gradient",
        "def f(x):",
        f"    def grad(up{d.wrong('', ', more')}):",
        f"        return {d.wrong('up * 2.0 * x', '(up, up)', f'tf.zeros({n + 1}) + up * 2.0')}",
        f"    return {d.wrong('x ** 2, grad', 'x ** 2')}",
        f"x = tf.Variable(tf.ones({n}))",
        "with tf.GradientTape() as t:",
        "    y = tf.reduce_sum(f(x))",
        f"print(t.gradient(y, x).shape, tf.stop_gradient({d.wrong('y', '')}), tf.debugging.assert_equal(x, {d.wrong('x', 'x + 1')}))",
    )
