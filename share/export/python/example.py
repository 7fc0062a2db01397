import torch

from forge_@ENTRY@ import @ENTRY@

@PY_TENSORS@out = @ENTRY@(@PY_CALL@)
torch.cuda.synchronize()
print(type(out).__name__)
