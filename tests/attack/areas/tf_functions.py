"""tf.function, tf.data, gradient tapes and variables."""

from __future__ import annotations

from tests.attack.drawing import Draw, compose


def draw(d: Draw) -> None:
    d.line("import tensorflow as tf", "import numpy as np")
    compose(d, (traced, side_effects, loops, datasets, mapped, tapes, variables, shapes, types, batches, gathered, signatures, ragged), 2)


def traced(d: Draw) -> None:
    a, b, c = d.sizes(3)
    d.line(
        "@tf.function",
        "def f(x, w):",
        "    y = tf.matmul(x, w)",
        f"    return tf.{d.pick('nn.relu', 'tanh', 'exp')}(y)",
        f"y = f(tf.zeros(({a}, {b})), tf.zeros(({d.wrong(b, c)}, 2)))",
        f"print(tf.reshape(y, ({d.wrong(a, a + 1)}, 2)))",
    )


def side_effects(d: Draw) -> None:
    a, b = d.sizes(2)
    body = d.wrong("tf.reduce_mean(x)", "np.mean(x)", "x.numpy().mean()", "float(tf.reduce_sum(x))")
    d.line("@tf.function", "def f(x):", f"    return {body}", f"print(f(tf.ones(({a}, {b}))))")


def loops(d: Draw) -> None:
    a, k = d.sizes(2)
    d.line(
        "@tf.function",
        "def f(x):",
        f"    for i in {d.pick('range', 'tf.range')}({k}):",
        f"        x = x {d.pick('+ 1.0', '* 2.0')}",
        "    return x",
        f"print(f(tf.zeros({a})) + tf.zeros({d.wrong(a, a + 1)}))",
    )
    if d.often():
        d.line(
            "@tf.function",
            "def g(x):",
            "    if tf.reduce_sum(x) > 0:",
            "        y = x + 1",
            d.wrong("    else:\n        y = x - 1", "    else:\n        z = x"),
            "    return y",
            f"print(g(tf.ones({a})))",
        )


def datasets(d: Draw) -> None:
    n, m, b = d.size(6, 10), d.size(2, 5), d.size(2, 4)
    d.line(
        f"ds = tf.data.Dataset.from_tensor_slices((np.zeros(({n}, {m}), np.float32), np.zeros({d.wrong(n, n + 1)})))",
        f"for {d.wrong('x, y', 'x, y, z')} in ds.batch({b}, drop_remainder={d.wrong(True, False)}):",
        f"    print(tf.reshape(x, ({b}, {d.wrong(m, m + 1)})))",
    )


def mapped(d: Draw) -> None:
    n, _m = d.size(4, 8), d.size(2, 5)
    function = d.wrong(
        "lambda x: tf.cast(x, tf.float32) * 2", "lambda x: x.numpy() * 2", "lambda x, y: x", "lambda x: tf.cast(x, tf.float32) + tf.cast(x, tf.float64)"
    )
    d.line(
        f"ds = tf.data.Dataset.{d.pick(f'range({n})', f'from_tensor_slices(np.arange({n}))')}.map({function}).{d.pick('shuffle(4)', 'take(3)', 'repeat(2)')}.batch(2)",
        "for x in ds:",
        f"    print(x + tf.zeros(1){d.wrong('', ', missing')})",
    )


def tapes(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"w = tf.Variable(tf.ones(({a}, {b})))",
        f"with tf.GradientTape({d.wrong('persistent=True', '')}) as tape:",
        "    loss = tf.reduce_sum(w ** 2)",
        f"g = tape.gradient(loss, {d.wrong('w', '[w]')})",
        f"print(tf.reshape(g, ({d.wrong(b, b + a * b)}, {a})), tape.gradient(loss, w).shape)",
        "opt = tf.keras.optimizers.SGD(0.1)",
        f"opt.apply_gradients({d.wrong('[(g, w)]', '[(w, g)]', '(g, w)')})",
    )


def variables(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"v = tf.Variable(tf.zeros({a}))",
        f"v.{d.pick('assign', 'assign_add')}(tf.ones({d.wrong(a, b)}))",
        f"v[0].assign({d.wrong('1.0', 'tf.ones(2)')})",
        f"print(v + {d.wrong('1.0', repr('a'))}, v.numpy().reshape({d.wrong(a, a + 1)}))",
    )


def shapes(d: Draw) -> None:
    a, b, c = d.sizes(3)
    match d.rng.randrange(5):
        case 0:
            d.line(f"x = tf.zeros(({a}, {b}))", f"print(tf.concat([x, tf.zeros(({c}, {d.wrong(b, b + 1)}))], axis={d.wrong(0, 2)}).shape)")
        case 1:
            d.line(f"x = tf.zeros(({a}, {b}, {c}))", f"print(tf.reshape(tf.transpose(x, [2, 0, {d.wrong(1, 0)}]), ({d.wrong(c, a * b * c + 1)}, -1)).shape)")
        case 2:
            d.line(
                f"p, q = tf.split(tf.zeros(({a}, {2 * b})), {d.wrong(2, 3)}, axis=1)",
                f"print((p + q).shape, tf.stack([p, q]).shape, tf.squeeze(p[:1], {d.wrong(0, 1)}).shape)",
            )
        case 3:
            d.line(f"print(tf.reduce_sum(tf.zeros(({a}, {b})), axis={d.wrong(1, 2)}) + tf.zeros({d.wrong(a, a + 1)}))")
        case _:
            d.line(
                f"print(tf.einsum('{d.wrong('ij,jk->ik', 'ij,ik->jk')}', tf.zeros(({a}, {b})), tf.zeros(({b}, {d.wrong(c, c)}))).shape, tf.expand_dims(tf.zeros({a}), {d.wrong(1, 3)}).shape)"
            )


def types(d: Draw) -> None:
    a = d.size()
    d.line(
        f"x = tf.zeros({a}, dtype=tf.float32)",
        f"y = {d.wrong(f'np.ones({a}, np.float32)', f'tf.ones({a}, tf.float64)', f'tf.ones({a}, tf.int32)')}",
        f"print(x {d.pick('+', '*')} y, tf.cast(x, tf.int32) // {d.wrong('2', '2.5')})",
    )


def batches(d: Draw) -> None:
    n, b = d.size(5, 9), d.size(2, 4)
    d.line(
        f"ds = tf.data.Dataset.range({n}).batch({b})",
        f"x = next({d.wrong('iter(ds)', 'ds')})",
        f"print(tf.reshape(x, ({d.wrong(b, b + 1)},)), len(ds), list(ds)[{d.wrong(0, n)}])",
        f"for a, c in tf.data.Dataset.zip({d.wrong('(ds, ds)', '3')}):",
        "    print(a + c)",
    )


def gathered(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"x = tf.zeros(({a}, {b}))",
        f"print(tf.gather(x, {d.wrong([0, a - 1], [0, a])}).shape, x[{d.wrong(a - 1, a)}].shape, x[:, {d.wrong(-1, b)}].shape, tf.one_hot([0, 1], {a}).shape, tf.gather(x, [0], axis={d.wrong(1, 2)}).shape)",
    )


def signatures(d: Draw) -> None:
    a, b = d.sizes(2)
    d.line(
        f"@tf.function(input_signature=[tf.TensorSpec([None, {a}], tf.float32)])",
        "def f(x):",
        f"    return tf.reduce_sum(x, {d.wrong(1, 3)})",
        f"print(f(tf.zeros(({b}, {d.wrong(a, a + 1)}), tf.{d.wrong('float32', 'float64')})).shape)",
    )


def ragged(d: Draw) -> None:
    a, _b = d.sizes(2)
    d.line(
        f"m = tf.constant([[1.0, 2.0], [3.0, {d.wrong('4.0', '4.0, 5.0')}]])",
        f"print(m @ tf.ones(({d.wrong(2, 3)}, {a})), m.shape[{d.wrong(0, 2)}], int(m[0, 0]), {d.wrong('float', 'int')}(m{d.wrong('[0, 1]', '')}))",
    )
