#include "sys/last_words.h"

/* What a runner writes is believed as far as it can not help a kernel: every reading below is a bad
 * end. "The runner failed" and "it was killed from outside" would get a kernel another try, so the
 * first is believed only before the object's code ran, and the second only of the kernel itself. */

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "sys/doorbell.h"
#include "sys/side.h"

enum { NULL_PAGE_BYTES = 65536 };

struct call_name {
	long nr;
	const char *name;
};

/* Names of what kernels try; any other is shown as its number. */
static const struct call_name call_names[] = {
#define CALL(name) { SYS_##name, #name },
#include "sys/call_names.def"
#undef CALL
};

static const char *call_name(long nr)
{
	for (size_t i = 0; i < ARRAY_LEN(call_names); i++)
		if (call_names[i].nr == nr)
			return call_names[i].name;
	return NULL;
}

static void say_call(struct side_state *out, long nr)
{
	const char *name = call_name(nr);
	if (nr < 0)
		snprintf(out->text, sizeof(out->text), "a system call that is not allowed");
	else if (name)
		snprintf(out->text, sizeof(out->text), "system call %s (%ld)", name, nr);
	else
		snprintf(out->text, sizeof(out->text), "system call %ld", nr);
}

static void end_forbidden(struct side_state *out, long nr)
{
	out->end = SIDE_FORBIDDEN;
	out->syscall_nr = nr;
	say_call(out, nr);
}

static void end_text(struct side_state *out, enum side_end end, const char *text)
{
	out->end = end;
	snprintf(out->text, sizeof(out->text), "%s", text);
}

static void end_crashed(struct side_state *out, int signal)
{
	out->end = SIDE_CRASHED;
	out->signal = signal;
	snprintf(out->text, sizeof(out->text), "signal %d (%s)", signal, strsignal(signal));
}

static bool is_memory_signal(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS;
}

/* Does the address lie in or beside region i? Fills `out` if so. */
static bool place_fault(const struct last_words *w, size_t i, struct side_state *out)
{
	uint64_t start = w->region_at[i];
	uint64_t end = start + w->region_len[i];
	uint64_t at = w->reply->address;
	if (at < start - DOORBELL_GUARD_BYTES || at >= end + DOORBELL_GUARD_BYTES)
		return false;
	out->region = (unsigned)i;
	out->is_before = at < start;
	bool is_inside = at >= start && at < end;
	if (is_inside && w->region_writable[i])
		return false;
	out->end = is_inside ? SIDE_FAULT_INPUT : SIDE_FAULT_GUARD;
	out->offset = is_inside ? at - start : at < start ? start - at : at - end;
	return true;
}

static void say_fault(struct side_state *out)
{
	if (out->end == SIDE_FAULT_INPUT)
		snprintf(out->text, sizeof(out->text), "wrote to read-only memory at byte %llu",
			 (unsigned long long)out->offset);
	else
		snprintf(out->text, sizeof(out->text), "touched memory %llu bytes %s",
			 (unsigned long long)out->offset,
			 out->is_before ? "before its start" : "past its end");
}

static void end_fault(const struct last_words *w, struct side_state *out)
{
	int signal = w->reply->signal;
	end_crashed(out, signal);
	if (!is_memory_signal(signal))
		return;
	for (size_t i = 0; i < w->nr_regions; i++) {
		if (place_fault(w, i, out)) {
			say_fault(out);
			return;
		}
	}
	out->is_before = false;
	out->region = 0;
	uint64_t at = w->reply->address;
	if (w->reply->is_out_of_memory && at < NULL_PAGE_BYTES) {
		end_text(out, SIDE_MEMORY, "used a null pointer after its memory ran out");
		return;
	}
	snprintf(out->text, sizeof(out->text), "%s address 0x%llx%s",
		 w->reply->is_write ? "wrote to" : "read or ran", (unsigned long long)at,
		 at < NULL_PAGE_BYTES ? " (null pointer)" : "");
}

static bool end_own_failure(const struct last_words *w, struct side_state *out)
{
	if (w->reply->end == END_SETUP)
		end_text(out, SIDE_START_FAILED, w->reply->text);
	else if (WIFEXITED(w->status))
		snprintf(out->text, sizeof(out->text), "it ended at once with exit %d",
			 WEXITSTATUS(w->status));
	else
		snprintf(out->text, sizeof(out->text), "it ended at once by signal %d",
			 WTERMSIG(w->status));
	return false;
}

/* It left by itself. */
static bool end_exit(const struct last_words *w, struct side_state *out)
{
	switch ((uint32_t)w->reply->end) {
	case END_FAULT:
		end_fault(w, out);
		return true;
	case END_SYSCALL:
		end_forbidden(out, w->reply->syscall_nr);
		return true;
	case END_REFUSED:
		end_text(out, SIDE_FORBIDDEN, w->reply->text);
		return true;
	case END_UNLOADED:
		end_text(out, SIDE_START_FAILED, w->reply->text);
		return true;
	default:
		break;
	}
	if (!w->was_ready)
		return end_own_failure(w, out);
	out->end = SIDE_EXITED;
	snprintf(out->text, sizeof(out->text), "it called exit (%d)", WEXITSTATUS(w->status));
	return true;
}

static bool end_signal(const struct last_words *w, struct side_state *out)
{
	int signal = WTERMSIG(w->status);
	if (signal == SIGSYS)
		end_forbidden(out, -1);
	else if (signal != SIGKILL)
		end_crashed(out, signal);
	else if (w->hit_memory)
		end_text(out, SIDE_MEMORY, "used more memory than it may");
	else
		end_text(out, SIDE_KILLED, "killed from outside");
	return true;
}

bool last_words_read(const struct last_words *w, struct side_state *out)
{
	*out = (struct side_state){ .syscall_nr = -1 };
	if (w->killed_by_us) {
		end_text(out, SIDE_TIMEOUT, "did not come back in time");
		return true;
	}
	if (w->lost_main) {
		end_text(out, SIDE_EXITED, "its main thread ended, other threads went on");
		return true;
	}
	if (WIFEXITED(w->status))
		return end_exit(w, out);
	return end_signal(w, out);
}
