"""Edits that break the network: file, old text, new text, the line where the error must be told (None: any). Each was run under TensorFlow 2.21."""

DRIVER = "train.py"
EDITS = [
    ("network.py", "flat = tf.reshape(net, [-1, shape[1] * shape[2] * shape[3]])", "flat = tf.reshape(net, [-1, 8 * 8 * 64])",
     "cross_entropy = tf.nn.softmax_cross_entropy_with_logits(labels=self.labels, logits=self.logits)"),
    ("network.py", 'kernel = weight_variable("kernel", [3, 3, depth, filters])', 'kernel = weight_variable("kernel", [3, 3, filters, depth])', None),
    ("network.py", 'out = conv_block(out, filters, is_training, "b")', 'out = conv_block(out, filters, is_training, "b", stride=2)', "return tf.nn.relu(out + x)"),
    ("network.py", 'net = residual_block(net, 32, self.is_training, "block%d" % (i + 1))', 'net = residual_block(net, 64, self.is_training, "block%d" % (i + 1))',
     "return tf.nn.relu(out + x)"),
    ("network.py", 'net = residual_block(net, 32, self.is_training, "block%d" % (i + 1))', 'net = residual_block(net, 32, self.is_training, "block")', None),
    ("network.py", "mean, variance = tf.nn.moments(x, [0, 1, 2])", "mean, variance = tf.nn.moments(x, [0, 1])", None),
    ("network.py", 'tf.placeholder(tf.float32, [None, NUM_CLASSES], name="labels")', 'tf.placeholder(tf.float32, [None, 100], name="labels")', None),
    ("dataset.py", "self.labels = self._one_hot(labels.reshape(-1))", "self.labels = labels.reshape(-1)", None),
    ("train.py", "net.labels: labels, net.keep_prob: 0.5, net.is_training: True}", "net.labels: labels, net.is_training: True}",
     "_, loss, step = sess.run([net.train_op, net.loss, net.global_step], feed_dict=feed)"),
    ("dataset.py", "return self.images[start:stop], self.labels[start:stop]", "return self.images[start], self.labels[start:stop]", None),
    ("network.py", 'tf.summary.scalar("loss", self.loss)', 'tf.summary.scalar("loss", cross_entropy)', 'tf.summary.scalar("loss", cross_entropy)'),
]  # fmt: skip
