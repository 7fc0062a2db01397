import torch
import torch.nn.functional as F


# What PyTorch alone offers: the pages of every sequence are gathered, positions behind its end masked.
def run(q, k, v, table, length, batch, heads, heads_kv, dim, page, max_pages):
    flat = table.flatten()
    shape = (batch, max_pages * page, heads_kv, dim)
    keys = torch.index_select(k, 0, flat).view(shape).transpose(1, 2)
    values = torch.index_select(v, 0, flat).view(shape).transpose(1, 2)
    place = torch.arange(max_pages * page, device=q.device)
    mask = (place < length[:, None])[:, None, None, :]
    out = F.scaled_dot_product_attention(q[:, :, None, :], keys, values, attn_mask=mask, enable_gqa=True)
    return out[:, :, 0, :].contiguous()
