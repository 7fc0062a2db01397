/* Form kernels: a finished run as a folder of kernels/. It is the run's best/, so that `forge
 * verify` takes it as it is, with the newest curriculum and the report beside it. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "engine/claim_check.h"
#include "export/dest.h"
#include "export/report_copy.h"
#include "export/shipment.h"
#include "export/slots.h"
#include "store/rundir.h"
#include "store/seal.h"

enum { MAX_SOURCE_BYTES = 4 << 20 };

/* "Intel(R) Xeon(R) Processor" -> "intel-xeon-processor". */
static void add_slug(struct str *out, const char *name)
{
	static const char *const marks[] = { "(R)", "(r)", "(TM)", "(tm)" };
	const size_t start = out->len;
	for (const char *at = name; *at; at++) {
		for (size_t i = 0; i < ARRAY_LEN(marks); i++)
			if (str_starts(at, marks[i]))
				at += strlen(marks[i]) - 1;
		const bool is_word = isalnum((unsigned char)*at) || strchr("._", *at);
		const bool is_gap = out->len > start && out->text[out->len - 1] != '-';
		if (is_word && *at != '.')
			str_add_char(out, (char)tolower((unsigned char)*at));
		else if (!is_word && *at != ')' && is_gap && at[1])
			str_add_char(out, '-');
	}
	while (out->len > start && out->text[out->len - 1] == '-')
		out->text[--out->len] = 0;
	if (out->len == start)
		str_add(out, "unknown");
}

char *kernels_place(const char *kernels, const char *language, const json_t *machine,
		    const char *task)
{
	AUTO_STR struct str path = STR_INIT;
	const bool is_cpu = !language || str_equal(language, "c");
	const char *device = is_cpu ? json_text_or(machine, "cpu", NULL) : machine_gpu(machine);
	str_addf(&path, "%s/%s", kernels, is_cpu ? "cpu/" : "");
	add_slug(&path, device ? device : "unknown");
	str_add_char(&path, '/');
	add_slug(&path, task);
	return str_take(&path);
}

/* One that is over and not confirmed is an outcome (lost.h). */
static int check_released(const struct shipment *s, struct err *e)
{
	if (!s->state.is_ended || !s->state.has_report)
		return err_set(e, ERR_CONFLICT, "%s: the run is not over; 'forge run %s' goes on",
			       s->run, s->run);
	return 0;
}

static int put(const struct shipment *s, const char *name, const char *dir, const char *as,
	       struct err *e)
{
	AUTO_FREE char *from = path_join(s->run, name);
	return dest_put(from, dir, as, e);
}

static int put_readme(const struct shipment *s, const char *dir, struct err *e)
{
	AUTO_SLOTS struct slots slots = { 0 };
	AUTO_FREE char *path = path_join(dir, "README.md");
	shipment_slots(s, &slots);
	slots_set(&slots, "TASK", s->task.name);
	return slots_write(&slots, "kernels/README.md", path, e);
}

/* Who has the key says that it may be read. */
static int put_opened(const struct shipment *s, const char *dir, struct err *e)
{
	AUTO_FREE char *from = NULL;
	AUTO_FREE char *to = path_join(dir, CLAIM_OPENED);
	AUTO_STR struct str text = STR_INIT;
	if (!s->spec->opens_reference ||
	    claim_reference_find(s->best, &from) != CLAIM_REFERENCE_SEALED)
		return 0;
	if (seal_read(from, MAX_SOURCE_BYTES, &text, e) < 0)
		return -1;
	return file_write(to, text.text, text.len, e);
}

int form_kernels(const struct shipment *s, const char *dir, struct err *e)
{
	const struct state_curriculum *c = run_state_curriculum(&s->state);
	if (check_released(s, e) < 0 || tree_copy(s->best, dir, e) < 0)
		return -1;
	if (c && put(s, c->path, dir, "curriculum.toml", e) < 0)
		return -1;
	if (put_opened(s, dir, e) < 0 || report_copy(s->run, dir, e) < 0)
		return -1;
	return put_readme(s, dir, e);
}
