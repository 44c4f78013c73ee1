"""What the two networks want."""

import tensorflow as tf

cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)


def discriminator_loss(real_output, fake_output, smooth=0.0):
    real_loss = cross_entropy(tf.ones_like(real_output) - smooth, real_output)
    fake_loss = cross_entropy(tf.zeros_like(fake_output), fake_output)
    return real_loss + fake_loss


def generator_loss(fake_output):
    return cross_entropy(tf.ones_like(fake_output), fake_output)


def gradient_penalty(discriminator, real, fake):
    """How far the slope of the discriminator between the two is from 1."""
    batch = tf.shape(real)[0]
    alpha = tf.random.uniform([batch, 1, 1, 1])
    between = real + alpha * (fake - real)
    with tf.GradientTape() as tape:
        tape.watch(between)
        scores = discriminator(between, training=True)
    slopes = tape.gradient(scores, [between])[0]
    norms = tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=[1, 2, 3]) + 1e-12)
    return tf.reduce_mean((norms - 1.0) ** 2)
