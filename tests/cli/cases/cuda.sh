# A CUDA task is made and linted anywhere; what is missing to compile or to run it is told.
t forge init --language cuda scaled
t sh -c 'find scaled -type f | sort'
export CUDA_HOME=/nowhere
t forge check scaled
t forge check --json scaled
t forge run scaled
t forge new scaled
forge new --dry-run scaled | grep -E "allow list|no money"
t forge judge scaled scaled/reference/kernel.cu
t forge init --language ada other
sed -i 's/"manual"  /"tuner"  /; s/nvcc -O3/gcc -O3/' scaled/task.toml
t forge check scaled
sed -i 's/float b,$/float b)/; /cudaStream_t stream)$/d' scaled/reference/kernel.cu
t forge check --no-run scaled
