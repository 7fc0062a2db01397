#include "tuner/lab_in.h"

/* A variant runs in a child of the lab: what it breaks, it breaks there. The child tells the shared
 * report how far it came; an alarm of its own ends a call that takes too long, so that nobody has
 * to wake up and look while a kernel is timed. This is no sandbox: the agent as a whole sits in
 * one. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

enum { POOL_SPINS = 6000 }; /* as sys/side.c gives to runners */

#define WHOLE_DEADLINE_MS 120000
#define MIN_LIMIT_NS 1e6
#define SLEEP_FACTOR 8
#define SLEEP_NS 1e9
#define TIMING_LIMIT_NS 5e9
#define MAX_MEMORY (UINT64_C(16) << 30)

static void set_number(const char *name, long value)
{
	AUTO_FREE char *text = xasprintf("%ld", value);
	setenv(name, text, 1);
}

/* As the worker sets them for its runners; each thread has a core of its own if there are enough.
 */
static void set_environment(unsigned threads, bool has_cores)
{
	set_number("OMP_NUM_THREADS", (long)threads);
	set_number("OMP_THREAD_LIMIT", (long)threads);
	set_number("GOMP_SPINCOUNT", POOL_SPINS);
	setenv("OMP_DYNAMIC", "false", 1);
	setenv("OMP_PROC_BIND", has_cores ? "true" : "false", 1);
}

static void set_limits(void)
{
	const struct rlimit none = { 0, 0 };
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
#ifndef __SANITIZE_ADDRESS__
	const struct rlimit memory = { MAX_MEMORY, MAX_MEMORY };
	setrlimit(RLIMIT_AS, &memory);
#endif
}

static void enter(const struct lab_order *o, bool has_cores)
{
	static const int signals[] = { SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,
				       SIGABRT, SIGALRM, SIGPROF, SIGTERM };
	sigset_t nothing;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&nothing);
	sigprocmask(SIG_SETMASK, &nothing, NULL);
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = 0; i <= 2 && fd >= 0; i++)
		dup2(fd, i);
	set_limits();
	set_environment(o->threads, has_cores);
}

static void set_timer(enum __itimer_which which, double ns)
{
	double us = ns / 1000;
	struct itimerval timer = { 0 };
	timer.it_value.tv_sec = (time_t)(us / 1e6);
	timer.it_value.tv_usec = (suseconds_t)(us - (double)timer.it_value.tv_sec * 1e6);
	setitimer(which, &timer, NULL);
}

/* Dies once each thread has worked for so long, or when it only sleeps; 0 calls it off. A busy
 * machine gives its processors to others, which is no fault of the variant. */
static void set_alarm(double ns, unsigned threads)
{
	double limit_ns = ns > 0 && ns < MIN_LIMIT_NS ? MIN_LIMIT_NS : ns;
	set_timer(ITIMER_PROF, limit_ns * (double)threads);
	set_timer(ITIMER_REAL, ns > 0 ? SLEEP_FACTOR * limit_ns + SLEEP_NS : 0);
}

static bool fail_load(struct lab_report *r, const char *what)
{
	const char *why = dlerror();
	r->outcome = LAB_UNBUILT;
	snprintf(r->text, sizeof(r->text), "%s: %.130s", what, why ? why : "not there");
	return false;
}

static bool load(struct lab_kernel *k, const struct lab_order *o, const char *path,
		 struct lab_report *r)
{
	void *caller = dlopen(o->caller, RTLD_NOW | RTLD_LOCAL);
	void *object = caller ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!object)
		return fail_load(r, "load");
	void *call = dlsym(caller, "lab_call");
	void *entry = dlsym(object, o->entry);
	if (!call || !entry)
		return fail_load(r, "entry");
	memcpy(&k->call, &call, sizeof(call));
	memcpy(&k->entry, &entry, sizeof(entry));
	return true;
}

/* Maps the pages of the inputs, so that the first call does not pay for it. */
static void map_inputs(const struct lab_case *c)
{
#ifdef MADV_POPULATE_READ
	for (size_t i = 0; i < c->nr; i++)
		if (c->ops[i].base && c->ops[i].arg.role == ARG_IN)
			madvise(c->ops[i].base, c->ops[i].room, MADV_POPULATE_READ);
#else
	(void)c;
#endif
}

static bool check_all(const struct lab_kernel *k, const struct lab_order *o,
		      const struct lab_cases *cases, struct lab_report *r)
{
	struct lab_delays delays = { .nr = 0 };
	lab_delays_open(&delays);
	for (r->shape = 0; r->shape < cases->nr; r->shape++) {
		const struct lab_case *c = &cases->items[r->shape];
		if (!c->ops)
			continue;
		map_inputs(c);
		set_alarm(o->limit_ns[r->shape], o->threads);
		bool is_fine = lab_check(k, c, o->is_reference, &delays, r);
		set_alarm(0, 1);
		if (!is_fine)
			return false;
	}
	lab_delays_close(&delays);
	return true;
}

static void time_all(const struct lab_kernel *k, const struct lab_cores *cores,
		     const struct lab_cases *cases, struct lab_report *r)
{
	struct lab_delays delays = { .cores = *cores };
	lab_delays_open(&delays);
	for (r->shape = 0; r->shape < cases->nr; r->shape++) {
		const struct lab_case *c = &cases->items[r->shape];
		if (!c->ops)
			continue;
		double first_ns = r->first_ns[r->shape];
		set_alarm(TIMING_LIMIT_NS + 10 * first_ns, 8);
		r->ns[r->shape] = lab_time(k, c, first_ns, &delays);
		set_alarm(0, 1);
	}
}

static void compare_all(const struct lab_kernel *two, const struct lab_order *o,
			const struct lab_cores *cores, const struct lab_cases *cases,
			struct lab_report *r)
{
	struct lab_delays delays = { .nr = 0 };
	size_t nr = 0;
	for (size_t i = 0; i < cases->nr; i++)
		nr += cases->items[i].ops != NULL;
	double seconds = o->compare_s / (double)nr;
	for (r->shape = 0; r->shape < cases->nr; r->shape++) {
		const struct lab_case *c = &cases->items[r->shape];
		if (!c->ops)
			continue;
		set_alarm(o->limit_ns[r->shape], o->threads);
		lab_time_pairs(two, c, 0, &delays, r); /* warms up */
		if (!delays.nr) {
			/* Not before there is a pool: it would inherit our core. */
			delays.cores = *cores;
			lab_delays_open(&delays);
		}
		lab_time_pairs(two, c, seconds, &delays, r);
		set_alarm(0, 1);
	}
}

static void obey(const struct lab_order *o, const struct lab_cases *cases, struct lab_report *r)
{
	struct lab_kernel two[2];
	const struct lab_cores cores = lab_cores_find(o->threads);
	enter(o, cores.nr > 0);
	r->shape = LAB_SHAPES;
	for (size_t i = 0; i < 2 && o->objects[i]; i++)
		if (!load(&two[i], o, o->objects[i], r))
			return;
	if (o->compare_s > 0)
		compare_all(two, o, &cores, cases, r);
	else if (check_all(two, o, cases, r))
		time_all(two, &cores, cases, r);
	else
		return;
	r->is_whole = true;
}

static void wait_for(pid_t pid, int *status)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t end_ns = clock_mono_ns() + WHOLE_DEADLINE_MS * NS_PER_MS;
	if (fd >= 0)
		while (poll(&p, 1, WHOLE_DEADLINE_MS) < 0 && errno == EINTR)
			;
	else
		while (waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT) ==
			       0 &&
		       clock_mono_ns() < end_ns && kill(pid, 0) == 0)
			clock_sleep_ns(NS_PER_MS);
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	if (fd >= 0)
		close(fd);
}

static const char *place_name(const struct lab_cases *cases, size_t shape)
{
	return shape < cases->nr ? cases->items[shape].name : "start";
}

static void tell_end(const struct lab_cases *cases, int status, struct lab_report *r)
{
	const char *where = place_name(cases, r->shape);
	if (r->is_whole || r->outcome != LAB_OK)
		return;
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	bool is_slow = signal == SIGPROF || signal == SIGALRM || signal == SIGKILL;
	r->outcome = is_slow ? LAB_TOO_SLOW : LAB_CRASHED;
	if (is_slow)
		snprintf(r->text, sizeof(r->text), "a call at %.40s took too long", where);
	else if (signal)
		snprintf(r->text, sizeof(r->text), "%s at %.40s", strsignal(signal), where);
	else
		snprintf(r->text, sizeof(r->text), "it ended the process at %.40s", where);
}

int lab_run(const struct lab_order *order, const struct lab_cases *cases, struct lab_report *r,
	    struct err *e)
{
	int status = 0;
	memset(r, 0, sizeof(*r));
	pid_t pid = fork();
	if (pid < 0)
		return err_errno(e, ERR_SYSTEM, "start a child");
	if (pid == 0) {
		obey(order, cases, r);
		_exit(0);
	}
	wait_for(pid, &status);
	tell_end(cases, status, r);
	return 0;
}
