/*
 * What the processor is and how busy: facts for the machine record, covariates for a measurement,
 * and the two things a measurement does to it (flush lines, pin). Parsers take text, so that
 * recorded machines can be tested. Unknown facts are 0 or "".
 */
#ifndef FORGE_SYS_CPU_H
#define FORGE_SYS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct cpu_info {
	char model[96];    /* "AMD EPYC" */
	char vendor[32];   /* "AuthenticAMD" */
	char isa[160];     /* the flags that matter to kernels: "avx2 fma avx512f ..." */
	char governor[32]; /* "performance", "schedutil"; "" in most VMs */
	char kernel[96];   /* uname release */
	bool is_virtual;   /* a hypervisor shows itself */
	unsigned family;
	unsigned stepping;
	unsigned model_nr;
	unsigned nr_online; /* cores of the machine */
	unsigned nr_usable; /* cores this process may use */
	size_t l1d_bytes;
	size_t l2_bytes;
	size_t l3_bytes;
	size_t line_bytes;
	uint64_t memory_bytes;
};

/* Never fails: what can not be read stays 0 or "". */
void cpu_read(struct cpu_info *out);
/* From the text of /proc/cpuinfo (first processor): model, vendor, family, isa, is_virtual. */
void cpu_parse_cpuinfo(struct cpu_info *out, const char *text);
/* Names a kind of machine: processor, cores, caches, and whether it is virtual, as 16 hex
 * characters. Not the kernel, which changes more often than the noise of a machine does. */
enum { CPU_FINGERPRINT_LEN = 16 };
void cpu_fingerprint(const struct cpu_info *cpu, char out[CPU_FINGERPRINT_LEN + 1]);
/* "32768K", "1M", "512" -> bytes; 0 if it is no size. */
size_t cpu_parse_size(const char *text);

/* The cores a process may run on, ascending. */
enum { CPU_LIST_MAX = 1024 };
struct cpu_list {
	unsigned nr;
	unsigned short ids[CPU_LIST_MAX];
};
/* Of the calling thread, as its affinity stands now: read it before cpu_pin. */
int cpu_usable(struct cpu_list *out, struct err *e);
/* Bind the calling thread to one core / to these cores. */
int cpu_pin(unsigned cpu, struct err *e);
int cpu_pin_list(const struct cpu_list *list, struct err *e);

/* One look at how contended the machine is; take two and subtract. */
struct cpu_load {
	bool has_psi;
	double psi_some_avg10; /* percent of the last 10 s in which a task waited for a CPU */
	uint64_t psi_some_us;  /* running total */
	uint64_t steal_ticks;  /* running total over all cores; 1 tick is 1/tick_hz s */
	uint64_t total_ticks;  /* all states, all cores */
	unsigned tick_hz;
};
void cpu_load_read(struct cpu_load *out);
/* From the text of /proc/pressure/cpu; false if it is none. */
bool cpu_parse_psi(struct cpu_load *out, const char *text);
/* From the text of /proc/stat; false if it is none. */
bool cpu_parse_stat(struct cpu_load *out, const char *text);

/* Push the lines of a range out of every cache (clflushopt, else clflush) and wait for it. Works
 * for any mapping, also a read-only one, and for other processes' mappings of the same pages. */
void cpu_flush(const void *ptr, size_t len);
/* Does cpu_flush do anything here? */
bool cpu_can_flush(void);
/* The processor's own tick counter (TSC, CNTVCT), ordered after earlier loads; 0 where none. */
uint64_t cpu_ticks(void);

#endif
