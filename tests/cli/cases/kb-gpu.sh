# Lessons about a GPU: skipped with the reason where none is, certified by nvcc and the driver where one is (both fakes), stale when these change.
unset FORGE_KB
mkdir -p gpu kb/hopper
"$CLI/../fake/gpu/make" gpu
cp "$CLI/../fake/gpu/bin/nvcc" gpu/bin/nvcc
echo '13.0, V13.0.88' > gpu/release
cat > kb/hopper/wide-copies.md << 'END'
+++
version = 1
id = "wide-copies"
title = "Copies of 16 bytes a thread are faster than those of 2 bytes"
family = "hopper"
languages = ["cuda"]
topics = ["bandwidth", "vectors"]
applies_when = "a kernel moves data of device memory"
probe = "wide-copies.probe.cu"

[scope]
devices = ["NVIDIA H*"]

[[claim]]
value = "gain"
low = 1.3
high = 3.0
unit = "ratio"
means = "time by 2 bytes over that by 16 bytes"
+++
A thread that moves more at once needs fewer instructions.
END
printf '// prints: gain 1.9 ratio\n// prints: rate 4000 GB/s\n' > kb/hopper/wide-copies.probe.cu
export FORGE_KB="$PWD/kb"
old=$PATH
unset CUDA_PATH CUDA_VISIBLE_DEVICES
export PATH="$PWD/gpu/bin:$PATH" CUDA_HOME="$PWD/gpu" FORGE_CUDA_DRIVER="$PWD/gpu/lib/libcuda.so.1"
echo "# no device, and one of another generation"
: > gpu/device
t forge kb certify --all
echo 'NVIDIA A100-SXM4-80GB, 580.159.04, 8.0' > gpu/device
t forge kb certify --all
ls kb/hopper
echo "# a device that it is about"
echo 'NVIDIA H200, 580.159.04, 9.0' > gpu/device
t forge kb certify --all --family hopper
t forge kb certify --all --family hoper
sed -n 's/.*\("device"\|"compiler"\|"driver"\|"state"\|"host"\): *\("[^"]*"\).*/\1 \2/p' kb/hopper/wide-copies.cert.json
echo "# a patch of the driver or of nvcc is the same one; another branch or release is not"
echo 'NVIDIA H200, 580.200.01, 9.0' > gpu/device
echo '13.0, V13.0.99' > gpu/release
t forge kb stale
echo 'NVIDIA H200, 590.44.01, 9.0' > gpu/device
echo '13.1, V13.1.80' > gpu/release
t forge kb stale
echo "# what is recorded is what counts, not what is here alone"
echo 'NVIDIA H200, 580.159.04, 9.0' > gpu/device
echo '13.0, V13.0.88' > gpu/release
sed -i 's/"driver": *"580/"driver": "575/' kb/hopper/wide-copies.cert.json
t forge kb stale
echo "# a false claim is refuted; what the host lacks is told once"
sed 's/wide-copies/wide-moves/' kb/hopper/wide-copies.md > kb/hopper/wide-moves.md
cp kb/hopper/wide-copies.probe.cu kb/hopper/wide-moves.probe.cu
sed -i 's/gain 1.9/gain 1.1/' kb/hopper/wide-copies.probe.cu
printf '#!/bin/sh\necho "bwrap: no namespaces" >&2\nexit 1\n' > gpu/bin/bwrap
chmod +x gpu/bin/bwrap
t forge kb certify --all
PATH=$old
