# Leaves the work to operators between parts of tensors, in a function of its own.
# Stopped: host code computes nothing with tensors, wherever they came from.
def part(a, b, k):
    return a[:, k] * b[k]


def run(x, b, rows, cols):
    y = part(x, b, 0)
    for k in range(1, cols):
        y = y + part(x, b, k)
    return y
