# Sets the elements of its output on the host, by operators of the framework.
# Stopped: host code computes nothing by functions or methods of tensors, and sets no elements of an argument.


def run(x, b, y, rows, cols):
    y[:] = x[:, 0] * b[0]
