#include "sys/last_words.h"

#include <signal.h>
#include <sys/syscall.h>

#include "base/mem.h"
#include "sys/doorbell.h"
#include "sys/side.h"
#include "test.h"

/* Two regions of 8 KiB, the first read-only, far apart. */
static const uint64_t at[2] = { 0x10000000, 0x20000000 };
static const uint64_t len[2] = { 8192, 8192 };
static const bool writable[2] = { false, true };

enum { EXITED_115 = 115 << 8, KILLED = 9 };

static struct side_state read_words(const struct doorbell_reply *reply, int status, bool was_ready)
{
	struct side_state st;
	struct last_words w = {
		.reply = reply,
		.status = status,
		.was_ready = was_ready,
		.nr_regions = 2,
		.region_at = at,
		.region_len = len,
		.region_writable = writable,
	};
	CHECK(last_words_read(&w, &st));
	return st;
}

struct place {
	uint64_t address;
	enum side_end end;
	unsigned region;
	uint64_t offset;
	bool is_before;
};

TEST(a_faults_address_decides_what_it_means)
{
	static const struct place places[] = {
		{ 0x10000000, SIDE_FAULT_INPUT, 0, 0, false },
		{ 0x10001fff, SIDE_FAULT_INPUT, 0, 8191, false },
		{ 0x10002000, SIDE_FAULT_GUARD, 0, 0, false },
		{ 0x0fffffff, SIDE_FAULT_GUARD, 0, 1, true },
		{ 0x20002000 + DOORBELL_GUARD_BYTES - 1, SIDE_FAULT_GUARD, 1,
		  DOORBELL_GUARD_BYTES - 1, false },
		{ 0x20002000 + DOORBELL_GUARD_BYTES, SIDE_CRASHED, 0, 0, false },
		{ 0x20000000 - DOORBELL_GUARD_BYTES, SIDE_FAULT_GUARD, 1, DOORBELL_GUARD_BYTES,
		  true },
		{ 0x20001000, SIDE_CRASHED, 0, 0, false }, /* writable: not a fault of ours */
		{ 0, SIDE_CRASHED, 0, 0, false },
		{ UINT64_MAX, SIDE_CRASHED, 0, 0, false },
	};
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		struct doorbell_reply reply = { .end = END_FAULT,
						.signal = SIGSEGV,
						.address = places[i].address };
		struct side_state st = read_words(&reply, EXITED_115, true);
		CHECK_INT(st.end, places[i].end);
		CHECK_INT(st.region, places[i].region);
		CHECK_INT(st.is_before, places[i].is_before);
		CHECK(st.end == SIDE_CRASHED || st.offset == places[i].offset);
		CHECK(st.text[0]);
	}
}

TEST(a_null_pointer_without_memory_left_is_out_of_memory)
{
	struct doorbell_reply reply = { .end = END_FAULT,
					.signal = SIGSEGV,
					.is_out_of_memory = 1 };
	CHECK_INT(read_words(&reply, EXITED_115, true).end, SIDE_MEMORY);
	reply.address = at[0];
	CHECK_INT(read_words(&reply, EXITED_115, true).end, SIDE_FAULT_INPUT);
}

TEST(a_division_fault_is_no_memory_fault)
{
	struct doorbell_reply reply = { .end = END_FAULT, .signal = SIGFPE, .address = at[0] };
	struct side_state st = read_words(&reply, EXITED_115, true);
	CHECK_INT(st.end, SIDE_CRASHED);
	CHECK_INT(st.signal, SIGFPE);
}

TEST(an_object_that_has_run_can_not_blame_the_runner)
{
	struct doorbell_reply reply = { .end = END_SETUP, .text = "it was the runner" };
	CHECK_INT(read_words(&reply, EXITED_115, true).end, SIDE_EXITED);
	struct doorbell_reply silent = { .end = END_NONE };
	CHECK_INT(read_words(&silent, 0, true).end, SIDE_EXITED);
	struct doorbell_reply odd = { .end = 77 };
	CHECK_INT(read_words(&odd, EXITED_115, true).end, SIDE_EXITED);
}

TEST(a_runner_that_failed_before_is_no_fact_about_the_object)
{
	struct side_state st;
	struct doorbell_reply reply = { .end = END_SETUP, .text = "no memory" };
	struct last_words w = { .reply = &reply, .status = EXITED_115 };
	CHECK(!last_words_read(&w, &st));
	CHECK_TEXT(st.text, "no memory");
	reply.end = END_NONE;
	w.status = 127 << 8;
	CHECK(!last_words_read(&w, &st));
	CHECK_TEXT(st.text, "it ended at once with exit 127");
}

TEST(a_kill_means_deadline_or_memory_or_somebody_else)
{
	struct side_state st;
	struct doorbell_reply reply = { .end = END_NONE };
	struct last_words w = { .reply = &reply, .status = KILLED, .was_ready = true };
	CHECK(last_words_read(&w, &st));
	CHECK_INT(st.end, SIDE_KILLED);
	w.hit_memory = true;
	CHECK(last_words_read(&w, &st));
	CHECK_INT(st.end, SIDE_MEMORY);
	w.killed_by_us = true;
	CHECK(last_words_read(&w, &st));
	CHECK_INT(st.end, SIDE_TIMEOUT);
}

TEST(a_filtered_call_is_named_or_numbered)
{
	struct doorbell_reply reply = { .end = END_SYSCALL, .syscall_nr = SYS_socket };
	struct side_state st = read_words(&reply, EXITED_115, true);
	CHECK_INT(st.end, SIDE_FORBIDDEN);
	CHECK_INT(st.syscall_nr, SYS_socket);
	CHECK(strstr(st.text, "socket"));
	reply.syscall_nr = 9999;
	st = read_words(&reply, EXITED_115, true);
	CHECK_TEXT(st.text, "system call 9999");
	struct doorbell_reply silent = { .end = END_NONE };
	st = read_words(&silent, SIGSYS, true);
	CHECK_INT(st.end, SIDE_FORBIDDEN);
	CHECK_INT(st.syscall_nr, -1);
}

TEST_MAIN()
