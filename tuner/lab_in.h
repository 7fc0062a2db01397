/*
 * What the parts of the lab share: the laid out cases, the builds, the order to a child and what it
 * reports. Internal to tuner/lab*.c.
 */
#ifndef FORGE_TUNER_LAB_IN_H
#define FORGE_TUNER_LAB_IN_H

#include <stdint.h>

#include "base/mem.h"
#include "model/task.h"
#include "tuner/lab.h"

/* Contents of one shape that are timed: how long a kernel takes may depend on them. */
enum { LAB_SETS = 4 };

/* One argument at one shape. Tensors live in shared anonymous memory with a page behind them that
 * nobody may touch. */
struct lab_operand {
	struct arg arg;
	size_t bytes; /* of a tensor; 0 for scalars */
	size_t nr;    /* elements */
	unsigned char scalar[8];
	unsigned char *base; /* of its room */
	size_t room;
	unsigned char *at;   /* where it is timed: shifted against the other operands */
	unsigned char *edge; /* where it is checked: what is written ends at the forbidden page */
	unsigned char *pristine; /* inout: its bytes before a call */
	/* Further contents: rooms like `base` for what is read, bytes like `pristine` for inout. */
	unsigned char *more[LAB_SETS - 1];
	unsigned char *want; /* outputs: the reference's answer */
	double mean;         /* of the magnitudes in `want` */
};

struct lab_case {
	const char *name;
	struct dims dims;
	struct lab_operand *ops; /* one per argument; NULL: this shape is not measured */
	size_t nr;
	size_t nr_sets; /* of contents; at least 1 */
	size_t bytes;   /* of all tensors, once */
	double told_ns;
	double reference_ns;
	double first_ns; /* the best first call so far */
	double best_ns;  /* the best median so far */
};

struct lab_cases {
	struct lab_case items[LAB_SHAPES];
	size_t nr;
};

/* Lay out and fill the visible shapes of a turn's task. Shapes too big or, by what was told, too
 * slow for `seconds` stay without operands; ERR_INPUT if none is left. */
int lab_cases_make(struct lab_cases *c, const json_t *data, double seconds, struct arena *a,
		   struct err *e);
/* The reference's answers are there: from now on nobody writes them. */
void lab_cases_seal(struct lab_cases *c);
void lab_cases_release(struct lab_cases *c);

/* One source, compiled. */
struct lab_build {
	const char *source;
	char *object;        /* path of the shared object; NULL: not built */
	char text[LAB_TEXT]; /* why not */
};

struct lab_kit {
	char *dir;    /* scratch, ours */
	char *caller; /* shared object that calls an entry through its prototype */
	unsigned nr_files;
	uint64_t slowest_build_ns; /* of those that succeeded; 0: none did yet */
	bool has_gcc;
	bool has_clang;
};

/* Finds compilers, writes the kernel header and builds the caller, whose source is given. */
int lab_kit_make(struct lab_kit *k, const char *caller, const char *dir, struct err *e);
void lab_kit_release(struct lab_kit *k);
/* How long a compiler may work where the slowest so far took so long (0: none was done yet). */
uint64_t lab_build_deadline_ns(uint64_t slowest_ns);
/* Two at a time; starts no further one once `end_ns` has passed (both texts stay empty then). */
void lab_kit_build(struct lab_kit *k, struct lab_build *builds, size_t nr, uint64_t end_ns);

/* What a child is to do. */
struct lab_order {
	const char *caller;
	const char *entry;
	unsigned threads;
	const char *objects[2];      /* the second only to compare */
	bool is_reference;           /* keep its answers instead of judging them */
	double compare_s;            /* above 0: time both objects in turns, judge neither */
	double limit_ns[LAB_SHAPES]; /* of one call, in processor time of each thread */
};

enum { LAB_PAIRS = 512 };

/* Shared with the child, which fills it on its way. */
struct lab_report {
	bool is_whole;
	enum lab_outcome outcome;
	size_t shape; /* at work on */
	double first_ns[LAB_SHAPES];
	double ns[LAB_SHAPES];
	double error;
	char text[LAB_TEXT];
	size_t nr_pairs[LAB_SHAPES];
	bool is_calm[LAB_SHAPES]; /* the pairs are */
	double pairs[LAB_SHAPES][LAB_PAIRS][2];
};

/* Runs the order in a child of its own and waits for it. How it ended is in the report. */
int lab_run(const struct lab_order *order, const struct lab_cases *cases, struct lab_report *r,
	    struct err *e);

typedef void (*lab_caller_fn)(void (*entry)(void), void *const *args);

/* Inside the child: a loaded kernel and the timing of its calls. */
struct lab_kernel {
	lab_caller_fn call;
	void (*entry)(void);
};

/* Each thread has a core of its own. Calls are prepared on that of the last one and made on that of
 * the first: a core that idled wakes late, and a kernel that waits for it looks as if its threads
 * did nothing (docs/format/doorbell.md). */
enum { LAB_WATCHED = 16 };
struct lab_cores {
	unsigned nr; /* 0: one thread, or too few cores */
	unsigned short ids[LAB_WATCHED];
};
/* Before anything binds the process. */
struct lab_cores lab_cores_find(unsigned threads);

/* The child's own view of how long its threads waited for a processor. */
struct lab_delays {
	struct lab_cores cores;
	int fds[LAB_WATCHED];
	size_t nr;
};
/* Of the threads that there are now; the pool's get their cores. libgomp binds its pool only where
 * it finds what it wants to know of the machine, which a sandbox need not show. */
void lab_delays_open(struct lab_delays *d);
void lab_delays_close(struct lab_delays *d);

/* One call on fresh outputs that end at a forbidden page; judged unless it is the reference's.
 * False: report.outcome and text say why. */
bool lab_check(const struct lab_kernel *k, const struct lab_case *c, bool is_reference,
	       const struct lab_delays *d, struct lab_report *r);
/* Median of one cold call, mean over the contents; rough when it is far behind the case's best. */
double lab_time(const struct lab_kernel *k, const struct lab_case *c, double first_ns,
		const struct lab_delays *d);
/* Calls in turns for about `seconds`; fills pairs of the report's shape. */
void lab_time_pairs(const struct lab_kernel *two, const struct lab_case *c, double seconds,
		    const struct lab_delays *d, struct lab_report *r);

#endif
