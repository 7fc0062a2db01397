#include "sys/cpu.h"

/* Facts come from files whose text the parsers take, so that a recorded machine is as good as a
 * real one. Missing files are ordinary: VMs hide governors, containers hide caches, old kernels
 * have no pressure file. */

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/* What kernels and their authors care about; the order is the order of printing. */
static const char *const isa_names[] = {
	"sse4_2",      "avx",      "f16c",     "fma",      "avx2",        "bmi2",
	"avx512f",     "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16",
	"avx512_fp16", "avx_vnni", "amx_tile", "amx_bf16", "amx_int8",    "asimd",
	"asimdhp",     "sve",      "sve2",     "bf16",     "i8mm",
};

static void copy_text(char *out, size_t cap, const char *text, size_t len)
{
	size_t n = len < cap - 1 ? len : cap - 1;
	memcpy(out, text, n);
	out[n] = 0;
}

/* Value of the first "key : value" line: start and length, or NULL. */
static const char *find_value(const char *text, const char *key, size_t *len)
{
	size_t key_len = strlen(key);
	for (const char *line = text; line && *line;) {
		const char *end = strchrnul(line, '\n');
		const char *rest = line + key_len;
		if (str_starts(line, key)) {
			rest += strspn(rest, " \t");
			if (*rest == ':') {
				rest += 1 + strspn(rest + 1, " \t");
				*len = rest < end ? (size_t)(end - rest) : 0;
				return rest;
			}
		}
		line = *end ? end + 1 : NULL;
	}
	return NULL;
}

static void take_value(char *out, size_t cap, const char *text, const char *key)
{
	size_t len = 0;
	const char *value = find_value(text, key, &len);
	if (value)
		copy_text(out, cap, value, len);
}

static unsigned take_number(const char *text, const char *key)
{
	char value[32] = "";
	take_value(value, sizeof(value), text, key);
	return (unsigned)strtoul(value, NULL, 10);
}

static void add_word(char *out, size_t cap, const char *word)
{
	size_t len = strlen(out);
	snprintf(out + len, cap - len, "%s%s", len ? " " : "", word);
}

static void parse_flags(struct cpu_info *out, const char *text)
{
	size_t len = 0;
	const char *value = find_value(text, "flags", &len);
	if (!value)
		value = find_value(text, "Features", &len);
	if (!value)
		return;
	AUTO_FREE char *flags = xstrndup(value, len);
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, flags, " \t");
	out->isa[0] = 0;
	for (size_t i = 0; i < ARRAY_LEN(isa_names); i++)
		if (strv_has(&words, isa_names[i]))
			add_word(out->isa, sizeof(out->isa), isa_names[i]);
	out->is_virtual = strv_has(&words, "hypervisor");
}

void cpu_parse_cpuinfo(struct cpu_info *out, const char *text)
{
	take_value(out->model, sizeof(out->model), text, "model name");
	take_value(out->vendor, sizeof(out->vendor), text, "vendor_id");
	if (!out->vendor[0])
		take_value(out->vendor, sizeof(out->vendor), text, "CPU implementer");
	out->family = take_number(text, "cpu family");
	out->model_nr = take_number(text, "model\t");
	out->stepping = take_number(text, "stepping");
	parse_flags(out, text);
}

void cpu_fingerprint(const struct cpu_info *cpu, char out[CPU_FINGERPRINT_LEN + 1])
{
	AUTO_FREE char *text =
		xasprintf("%s|%s|%u.%u.%u|%u|%zu|%zu|%zu|%d", cpu->vendor, cpu->model, cpu->family,
			  cpu->model_nr, cpu->stepping, cpu->nr_online, cpu->l1d_bytes,
			  cpu->l2_bytes, cpu->l3_bytes, cpu->is_virtual);
	struct digest d = digest_text(text);
	snprintf(out, CPU_FINGERPRINT_LEN + 1, "%.*s", (int)CPU_FINGERPRINT_LEN, d.hex);
}

size_t cpu_parse_size(const char *text)
{
	char *end = NULL;
	if (*text < '0' || *text > '9')
		return 0;
	unsigned long long n = strtoull(text, &end, 10);
	unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	return n > (SIZE_MAX >> shift) ? 0 : (size_t)n << shift;
}

enum { SYS_FILE_MAX = 1 << 20 };

/* Text of a small file without its last newline; false if it can not be read. */
static bool read_text(const char *path, struct str *out)
{
	struct err e = { 0 };
	str_clear(out);
	if (file_read(path, SYS_FILE_MAX, out, &e) < 0)
		return false;
	while (out->len && out->text[out->len - 1] == '\n')
		out->text[--out->len] = 0;
	return true;
}

static void read_into(char *out, size_t cap, const char *path)
{
	AUTO_STR struct str text = STR_INIT;
	if (read_text(path, &text))
		copy_text(out, cap, text.text, text.len);
}

static void read_cache_index(struct cpu_info *out, unsigned index)
{
	char text[3][32] = { "", "", "" };
	static const char *const names[] = { "level", "type", "size" };
	for (size_t i = 0; i < 3; i++) {
		AUTO_FREE char *path =
			xasprintf("/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, names[i]);
		read_into(text[i], sizeof(text[i]), path);
	}
	size_t *slot = text[0][0] == '1'   ? &out->l1d_bytes
		       : text[0][0] == '2' ? &out->l2_bytes
		       : text[0][0] == '3' ? &out->l3_bytes
					   : NULL;
	if (slot && !str_equal(text[1], "Instruction"))
		*slot = cpu_parse_size(text[2]);
}

static size_t sysconf_size(int name)
{
	long value = sysconf(name);
	return value > 0 ? (size_t)value : 0;
}

/* sysfs first: glibc knows only x86. Some VMs have neither. */
static void read_caches(struct cpu_info *out)
{
	for (unsigned i = 0; i < 5; i++)
		read_cache_index(out, i);
	if (!out->l1d_bytes)
		out->l1d_bytes = sysconf_size(_SC_LEVEL1_DCACHE_SIZE);
	if (!out->l2_bytes)
		out->l2_bytes = sysconf_size(_SC_LEVEL2_CACHE_SIZE);
	if (!out->l3_bytes)
		out->l3_bytes = sysconf_size(_SC_LEVEL3_CACHE_SIZE);
	out->line_bytes = sysconf_size(_SC_LEVEL1_DCACHE_LINESIZE);
	if (!out->line_bytes)
		out->line_bytes = 64;
}

static unsigned count_usable(void)
{
	struct err e = { 0 };
	struct cpu_list list = { 0 };
	return cpu_usable(&list, &e) < 0 ? 0 : list.nr;
}

void cpu_read(struct cpu_info *out)
{
	AUTO_STR struct str text = STR_INIT;
	struct utsname name;
	*out = (struct cpu_info){ 0 };
	if (read_text("/proc/cpuinfo", &text))
		cpu_parse_cpuinfo(out, text.text);
	read_into(out->governor, sizeof(out->governor),
		  "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	if (uname(&name) == 0)
		copy_text(out->kernel, sizeof(out->kernel), name.release, strlen(name.release));
	read_caches(out);
	out->nr_online = (unsigned)sysconf_size(_SC_NPROCESSORS_ONLN);
	out->nr_usable = count_usable();
	out->memory_bytes = (uint64_t)sysconf_size(_SC_PHYS_PAGES) * sysconf_size(_SC_PAGESIZE);
}

int cpu_usable(struct cpu_list *out, struct err *e)
{
	cpu_set_t set;
	out->nr = 0;
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return err_errno(e, ERR_SYSTEM, "read the usable cores");
	for (unsigned i = 0; i < CPU_LIST_MAX; i++)
		if (CPU_ISSET(i, &set))
			out->ids[out->nr++] = (unsigned short)i;
	return 0;
}

int cpu_pin(unsigned cpu, struct err *e)
{
	struct cpu_list list = { .nr = 1, .ids = { (unsigned short)cpu } };
	if (cpu >= CPU_LIST_MAX)
		return err_set(e, ERR_SYSTEM, "bind to core %u: no such core", cpu);
	return cpu_pin_list(&list, e);
}

int cpu_pin_list(const struct cpu_list *list, struct err *e)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	for (unsigned i = 0; i < list->nr; i++)
		CPU_SET(list->ids[i], &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return err_errno(e, ERR_SYSTEM, "bind to %u core%s", list->nr,
				 list->nr == 1 ? "" : "s");
	return 0;
}

bool cpu_parse_psi(struct cpu_load *out, const char *text)
{
	double avg10 = 0;
	unsigned long long total = 0;
	if (sscanf(text, "some avg10=%lf avg60=%*f avg300=%*f total=%llu", &avg10, &total) != 2)
		return false;
	out->psi_some_avg10 = avg10;
	out->psi_some_us = total;
	out->has_psi = true;
	return true;
}

bool cpu_parse_stat(struct cpu_load *out, const char *text)
{
	/* cpu user nice system idle iowait irq softirq steal guest guest_nice; guest is in user */
	unsigned long long v[8] = { 0 };
	if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
		   &v[4], &v[5], &v[6], &v[7]) < 4)
		return false;
	out->steal_ticks = v[7];
	out->total_ticks = 0;
	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		out->total_ticks += v[i];
	return true;
}

void cpu_load_read(struct cpu_load *out)
{
	AUTO_STR struct str text = STR_INIT;
	*out = (struct cpu_load){ .tick_hz = (unsigned)sysconf_size(_SC_CLK_TCK) };
	if (read_text("/proc/pressure/cpu", &text))
		cpu_parse_psi(out, text.text);
	if (read_text("/proc/stat", &text))
		cpu_parse_stat(out, text.text);
}
