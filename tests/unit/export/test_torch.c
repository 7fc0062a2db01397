#include "export/export.h"

#include <stdlib.h>

#include "export/claim.h"
#include "sys/proc.h"

/* The extension can not be built without PyTorch. Its text is held against a golden one, its
 * binding compiled against declarations of what it calls (tests/fake/torch), its scripts by Python,
 * and its kernel by nvcc where there is one. */

static const char *const student[] = { "FAKE speedup=4", NULL };

static struct scene made; /* by main, copied by the tests */

static const char golden[] = "tests/data/export/binding.cpp";

/* A claim about the template's CUDA kernel, its numbers as marked. */
static char *cuda_claim(struct scene *sc, const char *task_edit_from, const char *task_edit_to)
{
	struct err e = { 0 };
	claim_copy(sc, &made);
	char *best = claim_best(sc);
	AUTO_FREE char *task = path_join(best, "task");
	AUTO_FREE char *toml = path_join(task, "task.toml");
	AUTO_FREE char *kernel = path_join(best, "kernel.c");
	AUTO_FREE char *command = xasprintf("rm -r %s && cp -R share/template-cuda %s && find %s "
					    "-type f -exec sed -i s/@NAME@/axpby/ {} + && "
					    "cp %s/reference/kernel.cu %s",
					    task, task, task, task, kernel);
	const char *const argv[] = { "sh", "-c", command, NULL };
	const struct proc_spec spec = { .argv = argv };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_INT(r.exit_code, 0);
	if (task_edit_from) {
		AUTO_STR struct str text = STR_INIT;
		CHECK_OK(file_read(toml, 1 << 20, &text, &e));
		const char *at = strstr(text.text, task_edit_from);
		CHECK(at);
		AUTO_FREE char *changed = xasprintf("%.*s%s%s", (int)(at - text.text), text.text,
						    task_edit_to, at + strlen(task_edit_from));
		CHECK_OK(file_write_text(toml, changed, &e));
	}
	AUTO_FREE char *path = path_join(best, "evidence.json");
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	json_object_set_new(doc, "build", json_string("nvcc -O3 --use_fast_math"));
	json_object_set_new(doc, "reference_build", json_string("nvcc -O3"));
	json_object_set_new(json_object_get(doc, "machine"), "gpu",
			    json_pack("{s:s, s:s}", "name", "NVIDIA H200", "arch", "sm_90a"));
	CHECK_OK(json_write_file(path, doc, &e));
	claim_rechain(best, NULL, NULL);
	return best;
}

static int run_tool(const char *dir, const char *command)
{
	struct err e = { 0 };
	AUTO_FREE char *here = realpath("tests/fake/torch", NULL);
	AUTO_FREE char *whole = xasprintf("FAKE=%s; cd %s && %s", here, dir, command);
	const char *const argv[] = { "sh", "-c", whole, NULL };
	const struct proc_spec spec = { .argv = argv };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	CHECK_OK(proc_run(&r, &spec, &e));
	if (r.exit_code)
		printf("# %s: %s%s\n", command, r.out.text, r.err.text);
	return r.exit_code;
}

static bool has_tool(const char *name)
{
	AUTO_FREE char *path = proc_find(name);
	return path != NULL;
}

static char *exported(struct scene *sc, const char *from, const char *to)
{
	AUTO_FREE char *best = cuda_claim(sc, from, to);
	char *place = claim_place(sc, "torch");
	const struct export_spec spec = { .from = best, .to = place };
	claim_exported(&spec);
	return place;
}

TEST(the_binding_is_the_golden_one)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_STR struct str want = STR_INIT;
	AUTO_STR struct str got = STR_INIT;
	AUTO_FREE char *place = exported(&sc, NULL, NULL);
	claim_read(place, "binding.cpp", &got);
	if (getenv("ACCEPT"))
		CHECK_OK(file_write_text(golden, got.text, &e));
	CHECK_OK(file_read(golden, 1 << 20, &want, &e));
	CHECK_TEXT(got.text, want.text);
	scene_close(&sc);
}

TEST(the_source_is_that_of_the_claim)
{
	struct scene sc;
	AUTO_FREE char *place = exported(&sc, NULL, NULL);
	AUTO_FREE char *best = claim_best(&sc);
	CHECK_TEXT(claim_digest(place, "kernel.cu").hex, claim_digest(best, "kernel.c").hex);
	CHECK_HAS(place, "forge_axpby.py", "\"TORCH_CUDA_ARCH_LIST\": \"9.0a\"");
	CHECK_HAS(place, "forge_axpby.py", "[\"-O3\", \"--use_fast_math\"] + PLAIN");
	CHECK_HAS(place, "setup.py", "[\"-O3\", \"--use_fast_math\"] + PLAIN");
	CHECK_HAS(place, "README.md", "NVIDIA H200");
	CHECK_INT(run_tool(place, "sha256sum --quiet -c SHA256SUMS"), 0);
	CHECK_INT(run_tool(place, "test $(wc -l < example.py) -le 10"), 0);
	scene_close(&sc);
}

/* Instructions of one generation only compile for it: PyTorch's own choice would leave them out. */
TEST(a_task_that_names_no_target_is_compiled_for_that_of_the_claim)
{
	struct scene sc;
	AUTO_FREE char *place = exported(&sc, "arch = \"sm_90a\"", "");
	CHECK_HAS(place, "forge_axpby.py", "\"TORCH_CUDA_ARCH_LIST\": \"9.0a\"");
	CHECK_HAS(place, "setup.py", "\"TORCH_CUDA_ARCH_LIST\": \"9.0a\"");
	CHECK_HAS(place, "binding.cpp", "axpby was compiled for sm_90a");
	scene_close(&sc);
}

/* What PyTorch's build is told, by stand-ins that print it. */
static const char asks_the_build[] =
	"mkdir -p stub/torch/utils && cd stub && : > torch/__init__.py && : > "
	"torch/utils/__init__.py "
	"&& printf 'import os\\nCUDA_HOME = BuildExtension = None\\ndef CUDAExtension(*a, **k): "
	"pass\\n"
	"def load(**k):\\n    print(os.environ[\"TORCH_CUDA_ARCH_LIST\"])\\n"
	"    return type(\"E\", (), {\"axpby\": None})\\n' > torch/utils/cpp_extension.py && "
	"printf 'import os\\ndef setup(**k): print(os.environ[\"TORCH_CUDA_ARCH_LIST\"])\\n' "
	"> setuptools.py && cd .. && export PYTHONPATH=stub TORCH_CUDA_ARCH_LIST=8.0 && "
	"test \"$(python3 setup.py)\" = 9.0a && test \"$(python3 -c 'import os, forge_axpby; "
	"print(os.environ[\"TORCH_CUDA_ARCH_LIST\"])' | tr '\\n' ' ')\" = '9.0a 8.0 '";

/* Images with PyTorch name a list of targets, for which a kernel of one generation does not
 * compile.
 */
TEST(the_target_is_the_claims_whatever_the_environment_names)
{
	struct scene sc;
	if (!has_tool("python3"))
		SKIP("no python3 here");
	AUTO_FREE char *place = exported(&sc, NULL, NULL);
	CHECK_INT(run_tool(place, asks_the_build), 0);
	scene_close(&sc);
}

TEST(a_compiler_takes_the_binding)
{
	static const char *const dtypes[] = { "\"bool\"", "\"f32\"", "\"bf16\"" };
	if (!has_tool("g++"))
		SKIP("no g++ here");
	for (size_t i = 0; i < (getenv("EXPORT_ALL") ? ARRAY_LEN(dtypes) : 1); i++) {
		struct scene sc;
		AUTO_FREE char *place = exported(&sc, "\"f32\"", dtypes[i]);
		CHECK_INT(run_tool(place, "! grep -q '| `` |' README.md && grep -q '^| reference "
					  "built by | .' README.md"),
			  0);
		CHECK_INT(run_tool(place, "g++ -std=c++17 -Wall -Wextra -Werror -I$FAKE "
					  "-fsyntax-only binding.cpp"),
			  0);
		scene_close(&sc);
	}
}

/* Operators for a GPU that ship: signatures, sizes that no tensor tells, narrow floats. All of them
 * with EXPORT_ALL=1 (make check-export): a compiler takes its time. */
static bool is_tried(const char *task)
{
	return getenv("EXPORT_ALL") || str_equal(task, "fp8_gemm");
}

TEST(a_compiler_takes_the_binding_of_tasks_that_ship)
{
	struct err e = { 0 };
	AUTO_STRV struct strv names = { 0 };
	if (!has_tool("g++"))
		SKIP("no g++ here");
	CHECK_OK(dir_list("tasks/gpu", &names, &e));
	CHECK(names.nr > 0);
	for (size_t i = 0; i < names.nr; i++) {
		struct scene sc;
		if (!is_tried(names.items[i]))
			continue;
		AUTO_FREE char *best = cuda_claim(&sc, NULL, NULL);
		AUTO_FREE char *from = path_join("tasks/gpu", names.items[i]);
		AUTO_FREE char *task = path_join(best, "task");
		AUTO_FREE char *place = claim_place(&sc, "torch");
		CHECK_OK(tree_remove(task, &e));
		CHECK_OK(tree_copy(from, task, &e));
		claim_rechain(best, NULL, NULL);
		const struct export_spec spec = { .from = best, .to = place };
		claim_exported(&spec);
		printf("# %s\n", names.items[i]);
		CHECK_INT(run_tool(place, "g++ -std=c++17 -Wall -Wextra -Werror -I$FAKE "
					  "-fsyntax-only binding.cpp"),
			  0);
		scene_close(&sc);
	}
}

TEST(python_takes_the_scripts)
{
	struct scene sc;
	if (!has_tool("python3"))
		SKIP("no python3 here");
	AUTO_FREE char *place = exported(&sc, NULL, NULL);
	CHECK_INT(run_tool(place, "for f in *.py; do python3 -c 'import ast, sys; "
				  "ast.parse(open(sys.argv[1]).read())' $f || exit 1; done"),
		  0);
	/* Tensor maps are made by the driver, which no library of PyTorch brings along. */
	CHECK_INT(run_tool(place, "grep -q '\"-lcuda\"' setup.py && grep -q '\"-lcuda\"' "
				  "forge_*.py && grep -q ldflags=DRIVER forge_*.py && "
				  "grep -q link_args=DRIVER setup.py"),
		  0);
	scene_close(&sc);
}

TEST(a_cuda_compiler_takes_the_kernel)
{
	struct scene sc;
	AUTO_FREE char *place = exported(&sc, NULL, NULL);
	if (run_tool(place, "command -v nvcc > /dev/null"))
		SKIP("no nvcc on PATH");
	if (!getenv("EXPORT_ALL"))
		SKIP("a slow compiler (make check-export runs it)");
	CHECK_INT(
		run_tool(
			place,
			"nvcc -arch=sm_90a -O3 --use_fast_math -Iinclude -c -o kernel.o kernel.cu"),
		0);
	scene_close(&sc);
}

/* What a caller of the exported module sees; the device is the stub's. */
static const char calls[] =
	"import torch\nfrom forge_rmsnorm import rmsnorm, _kernel\n"
	"dev = torch.zeros(1, dtype='x', device='cuda').device\n"
	"def of(*shape, dtype=torch.bfloat16, device=dev):\n"
	"    return torch.zeros(*shape, dtype=dtype, device=device)\n"
	"def refused(text, *args, **more):\n"
	"    try:\n        rmsnorm(*args, **more)\n"
	"    except ValueError as e:\n        assert text in str(e), e\n"
	"    else:\n        raise SystemExit('not refused: ' + text)\n"
	"y = rmsnorm(of(1021, 1537), of(1537))\n"
	"assert y.shape == (1021, 1537) and _kernel.seen == (1021, 1537, 1e-6), _kernel.seen\n"
	"refused('not judged', of(1021, 1536), of(1536))\n"
	"refused('not judged', of(1021, 1537), of(1537), eps=1e-5)\n"
	"rmsnorm(of(3, 4), of(4), unjudged=True)\n"
	"refused('w: is (1536,)', of(1021, 1537), of(1536))\n"
	"refused('must be bfloat16', of(1021, 1537, dtype=torch.float32), of(1537))\n"
	"refused('others are on', of(1021, 1537), of(1537, device=torch.zeros(1, dtype='x', "
	"device='cuda:1').device))\n"
	"x = of(1021, 1537); x.contiguous = False\nrefused('not contiguous', x, of(1537))\n"
	"x = of(1021, 1537); x.at = 8\nrefused('not aligned', x, of(1537))\n"
	"refused('not on a CUDA device', torch.zeros(2, 2, dtype='x', device='cpu'), of(2))\n";

static const char module[] =
	"seen = None\n\n\ndef run(x, w, y, rows, cols, eps):\n    global seen\n"
	"    seen = (rows, cols, eps)\n";

TEST(a_python_kernel_is_called_for_what_it_was_judged_for_only)
{
	struct err e = { 0 };
	struct scene sc;
	if (!has_tool("python3"))
		SKIP("no python3 here");
	AUTO_FREE char *best = cuda_claim(&sc, NULL, NULL);
	AUTO_FREE char *task = path_join(best, "task");
	AUTO_FREE char *place = claim_place(&sc, "python");
	AUTO_STR struct str toml = STR_INIT;
	CHECK_OK(tree_remove(task, &e));
	CHECK_OK(tree_copy("tasks/gpu/rmsnorm", task, &e));
	claim_read(task, "task.toml", &toml);
	char *language = strstr(toml.text, "\"cuda\"");
	CHECK(language);
	AUTO_FREE char *text = xasprintf("%.*s\"python\"%s", (int)(language - toml.text), toml.text,
					 language + strlen("\"cuda\""));
	claim_put(task, "task.toml", text);
	claim_put(best, "kernel.c", module);
	claim_rechain(best, NULL, NULL);
	const struct export_spec spec = { .from = best, .to = place };
	claim_exported(&spec);
	claim_put(place, "calls.py", calls);
	CHECK_INT(run_tool(place, "PYTHONPATH=$FAKE/python python3 -B calls.py"), 0);
	CHECK_INT(
		run_tool(place, "PYTHONPATH=$FAKE/python python3 -B example.py | grep -qx Tensor"),
		0);
	CHECK_INT(run_tool(place, "sha256sum --quiet -c SHA256SUMS"), 0);
	scene_close(&sc);
}

TEST(flags_that_no_kernel_may_have_are_refused)
{
	struct scene sc;
	struct err e = { 0 };
	AUTO_FREE char *best = cuda_claim(&sc, NULL, NULL);
	AUTO_FREE char *path = path_join(best, "evidence.json");
	AUTO_FREE char *place = claim_place(&sc, "torch");
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	json_object_set_new(doc, "build", json_string("nvcc -O3 -ccbin=/tmp/x"));
	CHECK_OK(json_write_file(path, doc, &e));
	claim_rechain(best, NULL, NULL);
	const struct export_spec spec = { .from = best, .to = place };
	claim_refused(&spec, ERR_INPUT, "-ccbin");
	CHECK(!file_exists(place));
	scene_close(&sc);
}

int main(int argc, char **argv)
{
	claim_run(&made, student);
	int code = test_main(argc, argv);
	scene_close(&made);
	return code;
}
