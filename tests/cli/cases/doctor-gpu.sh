# A machine with a GPU, made of fakes: doctor knows it from the driver, what is missing has its price, and its
# ceilings are those that the worker measured.
"$CLI/../fake/gpu/make" machine
export LD_LIBRARY_PATH="$PWD/machine/lib" PATH="$PWD/machine/bin:$PATH" CUDA_HOME="$PWD/machine"
export FAKE_LOG="$PWD/log" FORGE_CEILINGS="$PWD/ceilings"
gpu() {
	forge doctor --no-run | sed -n '/^gpu/,/^hosts/{/^  /p}' | grep -v '^  python' | sed -E "s|$PWD|DIR|g; s/of 20[0-9-]+$/of DATE/"
}
FAKE_NCU=old FAKE_NVML=none gpu
forge-worker probe > probe.json
grep -oE '"(copy_bytes_per_s|matrix_method|sm_mhz|multiprocessors)": ?[^,]*' probe.json
gpu
forge doctor --no-run --json > out
grep -oE '"(driver|names|release)": ?"[^"]*"' out
echo "compiled $(grep -c '^compiled' log) time"
