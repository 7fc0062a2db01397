"""The reference is PyTorch, the candidate CUDA: captured, and replayed in one context."""


def run(x, w, rows, cols, a):
    return x * (w * a).unsqueeze(1)
