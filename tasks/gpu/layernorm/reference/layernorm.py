import torch.nn.functional as F


def run(x, w, b, rows, cols, eps):
    return F.layer_norm(x, (cols,), w, b, eps)
