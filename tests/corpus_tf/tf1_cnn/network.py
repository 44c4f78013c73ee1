"""A small convolutional network with batch normalisation, written with plain variables."""
import tensorflow as tf

from dataset import IMAGE_SIZE, NUM_CHANNELS, NUM_CLASSES


def weight_variable(name, shape, stddev=0.05, decay=None):
    var = tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=stddev))
    if decay is not None:
        tf.add_to_collection("weight_losses", tf.multiply(tf.nn.l2_loss(var), decay))
    return var


def batch_norm(x, is_training, name, momentum=0.9, epsilon=1e-5):
    depth = x.get_shape().as_list()[-1]
    with tf.variable_scope(name):
        gamma = tf.get_variable("gamma", [depth], initializer=tf.ones_initializer())
        beta = tf.get_variable("beta", [depth], initializer=tf.zeros_initializer())
        moving_mean = tf.get_variable("moving_mean", [depth], initializer=tf.zeros_initializer(), trainable=False)
        moving_var = tf.get_variable("moving_variance", [depth], initializer=tf.ones_initializer(), trainable=False)

        def batch_statistics():
            mean, variance = tf.nn.moments(x, [0, 1, 2])
            update_mean = tf.assign(moving_mean, momentum * moving_mean + (1 - momentum) * mean)
            update_var = tf.assign(moving_var, momentum * moving_var + (1 - momentum) * variance)
            with tf.control_dependencies([update_mean, update_var]):
                return tf.identity(mean), tf.identity(variance)

        mean, variance = tf.cond(is_training, batch_statistics, lambda: (tf.identity(moving_mean), tf.identity(moving_var)))
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, epsilon)


def conv_block(x, filters, is_training, name, stride=1):
    depth = x.get_shape()[-1].value
    with tf.variable_scope(name):
        kernel = weight_variable("kernel", [3, 3, depth, filters])
        x = tf.nn.conv2d(x, kernel, strides=[1, stride, stride, 1], padding="SAME")
        x = batch_norm(x, is_training, "bn")
        return tf.nn.relu(x)


def residual_block(x, filters, is_training, name):
    with tf.variable_scope(name):
        out = conv_block(x, filters, is_training, "a")
        out = conv_block(out, filters, is_training, "b")
        return tf.nn.relu(out + x)


def fully_connected(x, units, name, decay=None):
    with tf.variable_scope(name):
        weights = weight_variable("weights", [x.get_shape()[1].value, units], stddev=0.04, decay=decay)
        biases = tf.get_variable("biases", [units], initializer=tf.constant_initializer(0.1))
        return tf.nn.bias_add(tf.matmul(x, weights), biases)


class Network(object):
    def __init__(self, learning_rate, decay_steps, num_blocks=2):
        self.images = tf.placeholder(tf.float32, [None, IMAGE_SIZE, IMAGE_SIZE, NUM_CHANNELS], name="images")
        self.labels = tf.placeholder(tf.float32, [None, NUM_CLASSES], name="labels")
        self.keep_prob = tf.placeholder(tf.float32, name="keep_prob")
        self.is_training = tf.placeholder(tf.bool, [], name="is_training")
        self.global_step = tf.Variable(0, trainable=False, name="global_step")
        self.logits = self._inference(num_blocks)
        self._build_training(learning_rate, decay_steps)
        self._build_evaluation()

    def _inference(self, num_blocks):
        net = conv_block(self.images, 32, self.is_training, "conv1")
        for i in range(num_blocks):
            net = residual_block(net, 32, self.is_training, "block%d" % (i + 1))
        net = tf.nn.max_pool(net, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool1")
        net = conv_block(net, 64, self.is_training, "conv2", stride=2)
        net = tf.nn.avg_pool(net, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID", name="pool2")
        shape = net.get_shape().as_list()
        flat = tf.reshape(net, [-1, shape[1] * shape[2] * shape[3]])
        hidden = tf.nn.relu(fully_connected(flat, 128, "fc1", decay=0.004))
        hidden = tf.nn.dropout(hidden, self.keep_prob)
        return fully_connected(hidden, NUM_CLASSES, "fc2")

    def _build_training(self, learning_rate, decay_steps):
        cross_entropy = tf.nn.softmax_cross_entropy_with_logits(labels=self.labels, logits=self.logits)
        self.loss = tf.add(tf.reduce_mean(cross_entropy), tf.add_n(tf.get_collection("weight_losses")), name="total_loss")
        rate = tf.train.exponential_decay(learning_rate, self.global_step, decay_steps, 0.95, staircase=True)
        optimizer = tf.train.MomentumOptimizer(rate, 0.9)
        grads = optimizer.compute_gradients(self.loss)
        clipped = [(tf.clip_by_norm(g, 5.0), v) for g, v in grads]
        self.train_op = optimizer.apply_gradients(clipped, global_step=self.global_step)
        tf.summary.scalar("loss", self.loss)
        tf.summary.scalar("learning_rate", rate)

    def _build_evaluation(self):
        correct = tf.equal(tf.argmax(self.logits, 1), tf.argmax(self.labels, 1))
        self.accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
        self.correct_count = tf.reduce_sum(tf.cast(correct, tf.int32))
        tf.summary.scalar("accuracy", self.accuracy)
        tf.summary.image("inputs", self.images, max_outputs=4)
        self.summary = tf.summary.merge_all()
