# The device side: libforge-gpu.so and the process around it. Nothing of a CUDA toolkit is needed to
# build them; the kernels of runner/gpu/device.cu are compiled by nvcc where they are first used
# (worker/gpu_kernels.c).
GPU_SRC := $(filter-out runner/gpu/forge_gpu_main.c,$(wildcard runner/gpu/*.c)) src/sys/gpu_launch.c
GPU_OBJ := $(GPU_SRC:%.c=$(O)/obj/%.pic.o)
GPU_FLAGS := $(BASE_FLAGS) $(CFLAGS) -DFORGE_ALLOW_DLOPEN -fPIC -fvisibility=default \
	-fstack-protector-strong

$(GPU_OBJ) $(O)/obj/runner/gpu/forge_gpu_main.pic.o: $(O)/obj/%.pic.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(GPU_FLAGS) -c -o $@ $<
$(O)/bin/libforge-gpu.so: $(GPU_OBJ) runner/gpu/exports.map
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) -shared -Wl,-z,relro,-z,now -Wl,--version-script=runner/gpu/exports.map -o $@ $(GPU_OBJ) -ldl
$(O)/bin/forge-gpu: $(GPU_OBJ) $(O)/obj/runner/gpu/forge_gpu_main.pic.o
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) -pie -Wl,-z,relro,-z,now -o $@ $^ -ldl
# The same process for sides that are Python.
$(O)/bin/forge-gpu.py: runner/gpu/runner.py
	@mkdir -p $(@D) && install -m 755 $< $@
