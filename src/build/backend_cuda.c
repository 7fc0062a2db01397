#include "build/backend.h"

/* nvcc from its toolkit, one target, screens_cuda.def on the object and the code embedded in it.
 * Facts come from three places: what the assembler reports, the PTX it got, and, where the toolkit
 * has a disassembler, the machine code. Layouts are no question here: what runs is not on this
 * processor. */

#include <ctype.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/compile_cuda.h"
#include "build/cuda_toolkit.h"
#include "build/disasm.h"
#include "build/listing.h"
#include "build/ptx.h"
#include "build/ptxas_report.h"
#include "build/sass.h"
#include "build/screen_cuda.h"
#include "build/toolbox.h"
#include "model/task.h"
#include "sys/gpu.h"
#include "sys/proc.h"

enum { LISTING_MAX_BYTES = 64 << 20 };

static const char cubin_name[] = "leaf.cubin";

static char *program(const struct toolbox *t, enum compiler c)
{
	(void)c;
	return xasprintf("%s/bin/nvcc", t->toolkit);
}

/* "Cuda compilation tools, release 13.0, V13.0.88" */
static const char *version_line(const char *text)
{
	const char *at = strstr(text, "release ");
	while (at && at > text && at[-1] != '\n')
		at--;
	return at ? at : text;
}

/* "sm_90a" -> 90 */
static unsigned arch_number(const char *arch)
{
	return arch && str_starts(arch, "sm_") ? (unsigned)strtoul(arch + 3, NULL, 10) : 0;
}

static int cubin_write(const struct backend_object *o, struct err *e)
{
	struct fatbin_image image;
	struct err ignored = { 0 };
	AUTO_FREE char *path = path_join(o->toolbox->out_dir, cubin_name);
	if (!screen_cuda_image(o->leaf, &image, &ignored))
		return 0; /* a screen says so */
	AUTO_FCLOSE FILE *file = fopen(path, "we");
	if (!file || fwrite(image.bytes, 1, image.len, file) != image.len || fflush(file) != 0)
		return err_errno(e, ERR_SYSTEM, "write %s", path);
	return 1;
}

/* Text of the machine code; empty where the toolkit has no disassembler, or it does not know this
 * target. */
static int sass_read(const struct backend_object *o, struct str *out, struct err *e)
{
	AUTO_FREE char *tool = cuda_toolkit_tool(o->toolbox->toolkit, "nvdisasm");
	int rc = tool ? cubin_write(o, e) : 0;
	if (rc <= 0)
		return rc;
	AUTO_STRV struct strv argv = { 0 };
	strv_add(&argv, tool);
	strv_add(&argv, "-c");
	strv_addf(&argv, "%s/%s", o->toolbox->out, cubin_name);
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (toolbox_run(o->toolbox, &argv, LISTING_MAX_BYTES, &r, e) < 0)
		return err_wrap(e, "nvdisasm");
	if (proc_result_is_ok(&r) && !r.truncated)
		str_add_len(out, r.out.text, r.out.len);
	return 0;
}

static uint64_t code_bytes(const struct leaf *cubin)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < cubin->nr_sections; i++)
		sum += str_starts(cubin->sections[i].name, ".text.") ? cubin->sections[i].size : 0;
	return sum;
}

/* A report that does not hold together, or is of other kernels, tells nothing. */
static void report_facts(const struct backend_object *o, size_t nr_kernels, json_t *facts)
{
	struct err ignored = { 0 };
	AUTO_PTXAS_REPORT struct ptxas_report r;
	if (ptxas_report_parse(&r, o->log, &ignored) == 0 && r.nr == nr_kernels)
		ptxas_report_facts(&r, facts);
}

static json_t *facts_of(const struct backend_object *o, const struct screen_cuda_input *in)
{
	const size_t nr_kernels = screen_cuda_kernels(&in->cubin);
	json_t *facts = json_pack("{s:I, s:I}", "nr_kernels", (json_int_t)nr_kernels, "code_bytes",
				  (json_int_t)code_bytes(&in->cubin));
	report_facts(o, nr_kernels, facts);
	ptx_facts(in->ptx, facts);
	sass_facts(in->sass, facts);
	return facts;
}

static struct screen_cuda_input input_of(const struct backend_object *o, const struct disasm *d)
{
	const struct task *t = o->spec->task;
	bool is_candidate = o->spec->role == BUILD_CANDIDATE;
	return (struct screen_cuda_input){
		.host = { .object = o->leaf,
			  .disasm = d,
			  .entry = t->entry,
			  .threads = 1,
			  .deny = (const char *const *)t->deny,
			  .nr_deny = is_candidate ? t->nr_deny : 0 },
		.arch = arch_number(o->arch),
	};
}

static int examine(const struct backend_object *o, struct err *e)
{
	bool is_whole = false;
	AUTO_STR struct str listing = STR_INIT;
	AUTO_STR struct str ptx = STR_INIT;
	AUTO_STR struct str sass = STR_INIT;
	if (listing_read(o->toolbox, &listing, &is_whole, e) < 0 ||
	    compile_cuda_ptx(o->toolbox, &ptx, e) < 0 || sass_read(o, &sass, e) < 0)
		return -1;
	if (!is_whole) {
		*o->verdict = verdict_make(REASON_compile_failed, "the object has too much code");
		return 0;
	}
	AUTO_DISASM struct disasm d;
	disasm_parse(&d, listing.text);
	struct screen_cuda_input in = input_of(o, &d);
	in.ptx = ptx.text;
	in.sass = sass.text;
	*o->verdict = screen_cuda_run(&in);
	if (o->verdict->state == VERDICT_NONE)
		*o->facts = facts_of(o, &in);
	leaf_release(&in.cubin);
	return 0;
}

static int runs_here(struct err *e)
{
	struct gpu gpu;
	AUTO_FREE char *root = cuda_toolkit_find(e);
	if (!root || gpu_probe(&gpu, NULL, e) < 0)
		return err_wrap(e, "CUDA kernels run on a machine with nvcc and an NVIDIA GPU");
	return 0;
}

const struct backend_ops backend_cuda = {
	.language = "cuda",
	.source_name = COMPILE_CUDA_SOURCE_NAME,
	.default_build = "nvcc -O3",
	.toolkit = cuda_toolkit_find,
	.arch = cuda_toolkit_arch,
	.program = program,
	.version_line = version_line,
	.compile = compile_cuda_run,
	.examine = examine,
	.runs_here = runs_here,
};
