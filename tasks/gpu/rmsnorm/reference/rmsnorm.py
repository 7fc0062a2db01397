import torch.nn.functional as F


def run(x, w, rows, cols, eps):
    return F.rms_norm(x, (cols,), w, eps)
