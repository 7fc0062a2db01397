#include "host/trouble.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "host/host.h"
#include "host/settings.h"
#include "host/slurm_state.h"
#include "test.h"

static void read_page(const char *path, struct str *page)
{
	struct err e = { 0 };
	CHECK_OK(file_read(path, 1 << 20, page, &e));
}

TEST(every_trouble_stands_in_the_page_with_what_follows_from_it)
{
	AUTO_STR struct str page = STR_INIT;
	read_page("docs/format/host.md", &page);
	for (int i = TROUBLE_NONE + 1; i < TROUBLE_NR; i++) {
		enum trouble t = (enum trouble)i;
		AUTO_FREE char *row =
			xasprintf("\n| `%s` | %s | %s | %s |", trouble_name(t), trouble_text(t),
				  trouble_may_pass(t) ? "tried again" : "-",
				  trouble_is_of_place(t) ? "the run stops, the job is undone"
							 : "the job has failed");
		if (!strstr(page.text, row))
			printf("# docs/format/host.md lacks: %s\n", row);
		CHECK(strstr(page.text, row));
		CHECK(trouble_find(trouble_name(t)) == t);
	}
	CHECK(trouble_find("") == TROUBLE_NONE && trouble_find("none") == TROUBLE_NONE);
}

TEST(every_setting_stands_in_the_page_and_in_the_example)
{
	AUTO_STR struct str page = STR_INIT;
	AUTO_STR struct str example = STR_INIT;
	read_page("docs/format/host.md", &page);
	read_page("local.env.example", &example);
	for (int i = 0; i < SET_NR; i++) {
		AUTO_FREE char *row = xasprintf("\n| `%s` |", setting_name((enum setting)i));
		AUTO_FREE char *line = xasprintf("\n#%s=", setting_name((enum setting)i));
		if (!strstr(page.text, row) || !strstr(example.text, line))
			printf("# not told of: %s\n", row);
		CHECK(strstr(page.text, row) && strstr(example.text, line));
	}
}

TEST(what_ssh_says_is_understood)
{
	static const struct {
		const char *said;
		enum trouble trouble;
	} rows[] = {
		{ "ssh: connect to host a port 22: No route to host", TROUBLE_unreachable },
		{ "ssh: connect to host a port 22: Connection timed out", TROUBLE_unreachable },
		{ "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification "
		  "failed.",
		  TROUBLE_key_unknown },
		{ "No ED25519 host key is known for [127.0.0.1]:2222 and you have requested strict "
		  "checking.",
		  TROUBLE_key_unknown },
		{ "Received disconnect from 1.2.3.4: 2: Too many authentication failures",
		  TROUBLE_denied },
		{ "Timeout, server a not responding.", TROUBLE_lost },
		{ "Connection to a closed by remote host.", TROUBLE_lost },
		{ "", TROUBLE_lost },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_INT(trouble_of_ssh(rows[i].said), rows[i].trouble);
}

TEST(states_of_slurm_are_read_from_all_its_programs)
{
	static const struct {
		const char *text;
		enum slurm_phase phase;
		enum trouble trouble;
		const char *reason;
	} rows[] = {
		{ "PENDING|Priority\n", SLURM_WAITS, TROUBLE_NONE, "Priority" },
		{ "RUNNING|None\n", SLURM_WORKS, TROUBLE_NONE, "" },
		{ "COMPLETED\n", SLURM_ENDED, TROUBLE_NONE, "" },
		{ "CANCELLED by 1000|\n", SLURM_TROUBLED, TROUBLE_cancelled, "" },
		{ "CANCELLED+\n", SLURM_TROUBLED, TROUBLE_cancelled, "" },
		{ "NODE_FAIL|NonZeroExitCode\n", SLURM_TROUBLED, TROUBLE_node_failed,
		  "NonZeroExitCode" },
		{ "JobId=7 JobName=x UserId=a(0) JobState=TIMEOUT Reason=TimeLimit "
		  "Dependency=(null)",
		  SLURM_TROUBLED, TROUBLE_timed_out, "TimeLimit" },
		{ "", SLURM_UNKNOWN, TROUBLE_NONE, "" },
		{ "slurm_load_jobs error: Invalid job id specified\n", SLURM_UNKNOWN, TROUBLE_NONE,
		  "" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct slurm_state s;
		slurm_state_read(&s, rows[i].text);
		CHECK_INT(s.phase, rows[i].phase);
		CHECK_INT(s.trouble, rows[i].trouble);
		CHECK_TEXT(s.reason, rows[i].reason);
	}
}

TEST_MAIN()
