import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def run(q, k, v, batch, heads, heads_kv, seq, dim):
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
