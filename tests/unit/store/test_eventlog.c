#include "store/eventlog.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static char *temp_dir(void)
{
	char *dir = xstrdup("/tmp/forge-eventlog-XXXXXX");
	CHECK(mkdtemp(dir));
	return dir;
}

static json_t *warning_body(const char *text)
{
	return json_pack("{s:s}", "text", text);
}

static int count_seen(void *ctx, const struct event *ev, struct err *e)
{
	(void)ev;
	(void)e;
	++*(unsigned *)ctx;
	return 0;
}

static unsigned count_events(const char *path)
{
	unsigned n = 0;
	struct err e = { 0 };
	CHECK_OK(eventlog_read(path, count_seen, &n, &e));
	return n;
}

/* Three warnings in a fresh log; returns its path. */
static char *three_events(const char *dir)
{
	struct err e = { 0 };
	char *path = path_join(dir, "events.jsonl");
	AUTO_EVENTLOG struct eventlog *log = eventlog_open(path, NULL, NULL, &e);
	CHECK(log);
	CHECK_OK(eventlog_add(log, EVENT_warning, warning_body("one"), &e));
	CHECK_OK(eventlog_add(log, EVENT_warning, warning_body("two"), &e));
	CHECK_OK(eventlog_add(log, EVENT_warning, warning_body("three"), &e));
	return path;
}

static void read_whole(const char *path, struct str *text)
{
	struct err e = { 0 };
	CHECK_OK(file_read(path, 1 << 20, text, &e));
}

static int refuse_all(const char *path, struct err *e)
{
	AUTO_EVENTLOG struct eventlog *log = eventlog_open(path, NULL, NULL, e);
	return log ? 0 : -1;
}

TEST(events_come_back_in_order_with_their_place)
{
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *path = three_events(dir);
	CHECK_INT(count_events(path), 3);
	AUTO_STR struct str text = STR_INIT;
	read_whole(path, &text);
	CHECK(strstr(text.text, "\"where\":\"tests/unit/store/test_eventlog.c:"));
	CHECK(strstr(text.text, "\"seq\":3"));
	struct err e = { 0 };
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_reopened_log_goes_on_with_the_chain)
{
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *path = three_events(dir);
	struct err e = { 0 };
	unsigned seen = 0;
	struct eventlog *log = eventlog_open(path, count_seen, &seen, &e);
	CHECK(log);
	CHECK_INT(seen, 3);
	CHECK_OK(eventlog_add(log, EVENT_warning, warning_body("four"), &e));
	CHECK_INT(seen, 4);
	eventlog_close(&log);
	CHECK_INT(count_events(path), 4);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_log_cut_at_any_byte_opens_and_says_what_was_cut)
{
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *path = three_events(dir);
	AUTO_STR struct str whole = STR_INIT;
	read_whole(path, &whole);
	struct err e = { 0 };
	for (size_t len = 0; len < whole.len; len++) {
		CHECK_OK(file_write(path, whole.text, len, &e));
		unsigned lines = 0;
		for (size_t i = 0; i < len; i++)
			lines += whole.text[i] == '\n';
		bool is_torn = len && whole.text[len - 1] != '\n';
		CHECK_INT(count_events(path), lines);
		struct eventlog *log = eventlog_open(path, NULL, NULL, &e);
		CHECK(log);
		eventlog_close(&log);
		CHECK_INT(count_events(path), lines + is_torn);
		AUTO_STR struct str after = STR_INIT;
		read_whole(path, &after);
		CHECK(is_torn == (strstr(after.text, "log_repaired") != NULL));
	}
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_changed_line_is_refused_by_number_with_a_cure)
{
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *path = three_events(dir);
	AUTO_STR struct str whole = STR_INIT;
	read_whole(path, &whole);
	struct err e = { 0 };
	char *at = strstr(whole.text, "\"two\"");
	CHECK(at);
	at[1] = 'T';
	CHECK_OK(file_write(path, whole.text, whole.len, &e));
	CHECK(refuse_all(path, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	CHECK(strstr(e.text, "events.jsonl:2:"));
	CHECK(strstr(e.text, "keep its first 1 lines"));
	AUTO_STR struct str after = STR_INIT;
	read_whole(path, &after);
	CHECK_TEXT(after.text, whole.text);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_dropped_middle_line_is_refused)
{
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *path = three_events(dir);
	AUTO_STR struct str whole = STR_INIT;
	read_whole(path, &whole);
	struct err e = { 0 };
	char *second = strchr(whole.text, '\n') + 1;
	char *third = strchr(second, '\n') + 1;
	AUTO_FREE char *cut = xasprintf("%.*s%s", (int)(second - whole.text), whole.text, third);
	CHECK_OK(file_write_text(path, cut, &e));
	CHECK(refuse_all(path, &e) < 0);
	CHECK(strstr(e.text, "events.jsonl:2:"));
	CHECK_OK(tree_remove(dir, &e));
}

/* How a child ends that adds a fourth event under FORGE_CRASH_AT=`value`; what it leaves behind has
 * `lines` whole lines. */
static int crash_at(const char *value, const char *path, unsigned *lines)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct err e = { 0 };
		setenv("FORGE_CRASH_AT", value, 1);
		struct eventlog *log = eventlog_open(path, NULL, NULL, &e);
		if (!log)
			_exit(e.kind == ERR_USAGE ? 64 : 1);
		_exit(eventlog_add(log, EVENT_warning, warning_body("four"), &e) < 0);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	AUTO_STR struct str text = STR_INIT;
	read_whole(path, &text);
	*lines = 0;
	for (size_t i = 0; i < text.len; i++)
		*lines += text.text[i] == '\n';
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(a_crash_point_kills_before_in_the_middle_of_and_after_its_event)
{
	static const struct {
		const char *value;
		int end;
		unsigned lines;
		bool is_torn;
	} rows[] = {
		{ "events.jsonl:4:before", -SIGKILL, 3, false },
		{ "events.jsonl:4:torn", -SIGKILL, 3, true },
		{ "events.jsonl:4:after", -SIGKILL, 4, false },
		{ "events.jsonl:5:after", 0, 4, false },
		{ "other.jsonl:4:after", 0, 4, false },
		{ "vents.jsonl:4:after", 0, 4, false },
		{ "", 0, 4, false },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		unsigned lines = 0;
		AUTO_FREE char *dir = temp_dir();
		AUTO_FREE char *path = three_events(dir);
		AUTO_STR struct str text = STR_INIT;
		CHECK_INT(crash_at(rows[i].value, path, &lines), rows[i].end);
		CHECK_INT(lines, rows[i].lines);
		read_whole(path, &text);
		CHECK_INT(text.text[text.len - 1] != '\n', rows[i].is_torn);
		CHECK_OK(tree_remove(dir, &e));
	}
}

TEST(a_crash_point_that_can_not_be_read_is_an_error_and_nothing_is_written)
{
	static const char *const values[] = { "4",
					      "events.jsonl:4",
					      "events.jsonl:4:later",
					      "events.jsonl:x:after",
					      "events.jsonl:0:after",
					      "events.jsonl:-4:after",
					      ":4:after",
					      "events.jsonl::after" };
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct err e = { 0 };
		unsigned lines = 0;
		AUTO_FREE char *dir = temp_dir();
		AUTO_FREE char *path = three_events(dir);
		CHECK_INT(crash_at(values[i], path, &lines), 64);
		CHECK_INT(lines, 3);
		CHECK_OK(tree_remove(dir, &e));
	}
}

/* Wherever a byte is flipped, the log is refused by the line that holds it (or the one before,
 * where the flip is in what the line says of that one), and what is kept by the cure is a whole
 * log. */
TEST(a_byte_flipped_anywhere_but_in_the_last_line_is_refused_with_a_cure_that_works)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *path = three_events(dir);
	AUTO_STR struct str whole = STR_INIT;
	read_whole(path, &whole);
	size_t before_last = (size_t)(strstr(whole.text, "\"three\"") - whole.text);
	while (whole.text[before_last - 1] != '\n')
		before_last--;
	unsigned line = 1;
	for (size_t i = 0; i + 1 < before_last; i++) {
		unsigned named = 0, kept = 0;
		if (whole.text[i] == '\n') {
			line++;
			continue;
		}
		whole.text[i] ^= 1;
		CHECK_OK(file_write(path, whole.text, whole.len, &e));
		whole.text[i] ^= 1;
		CHECK(refuse_all(path, &e) < 0);
		CHECK_INT(e.kind, ERR_CONFLICT);
		const char *at = strstr(e.text, "events.jsonl:");
		const char *cure = strstr(e.text, "keep its first ");
		CHECK(at && sscanf(at, "events.jsonl:%u:", &named) == 1);
		CHECK(named == line || named + 1 == line);
		CHECK(named > 1 || strstr(e.text, "begin again"));
		CHECK(named == 1 || (cure && sscanf(cure, "keep its first %u lines", &kept) == 1));
		CHECK_INT(kept, named - 1);
		e = (struct err){ 0 };
	}
	CHECK_OK(tree_remove(dir, &e));
}

static void write_first_line(const char *path, const char *type, int version)
{
	struct err e = { 0 };
	AUTO_JSON json_t *obj = json_pack("{s:i, s:s, s:i, s:s, s:i, s:{}, s:s, s:s}", "seq", 1,
					  "wall", "2026-01-01T00:00:00.000Z", "mono_ns", 1, "type",
					  type, "v", version, "body", "where", "x.c:1", "prev", "");
	AUTO_FREE char *line = json_line(obj);
	AUTO_FREE char *text = xasprintf("%s\n", line);
	CHECK_OK(file_write_text(path, text, &e));
}

TEST(unknown_types_are_passed_over_and_unknown_versions_refused)
{
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *path = path_join(dir, "events.jsonl");
	struct err e = { 0 };
	write_first_line(path, "invented_later", 9);
	CHECK_OK(refuse_all(path, &e));
	write_first_line(path, "warning", 2);
	CHECK(refuse_all(path, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
	CHECK(strstr(e.text, "version 2"));
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_full_disk_leaves_a_log_that_still_verifies)
{
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *path = three_events(dir);
	AUTO_STR struct str before = STR_INIT;
	read_whole(path, &before);
	struct err e = { 0 };
	struct eventlog *log = eventlog_open(path, NULL, NULL, &e);
	CHECK(log);
	/* The file may grow by ten bytes more: the next line does not fit. */
	struct rlimit limit = { before.len + 10, before.len + 10 };
	signal(SIGXFSZ, SIG_IGN);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK(eventlog_add(log, EVENT_warning, warning_body("four"), &e) < 0);
	CHECK_INT(e.kind, ERR_SYSTEM);
	eventlog_close(&log);
	AUTO_STR struct str after = STR_INIT;
	read_whole(path, &after);
	CHECK_TEXT(after.text, before.text);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(every_event_type_stands_in_the_format_page)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read("docs/format/event-log.md", 1 << 20, &page, &e));
	for (int t = EVENT_UNKNOWN + 1; t < EVENT_NR; t++) {
		const char *name = event_type_name((enum event_type)t);
		AUTO_FREE char *row = xasprintf("| `%s` |", name);
		if (!strstr(page.text, row))
			printf("# no row for %s\n", name);
		CHECK(strstr(page.text, row));
		CHECK_INT(event_type_parse(name), t);
		CHECK(event_type_text((enum event_type)t)[0]);
	}
}

TEST(a_log_that_is_a_fifo_is_refused_and_not_waited_for)
{
	struct err e = { 0 };
	char dir[] = "/tmp/forge-log-XXXXXX";
	CHECK(mkdtemp(dir));
	AUTO_FREE char *path = path_join(dir, "events.jsonl");
	alarm(10);
	CHECK(mkfifo(path, 0600) == 0);
	CHECK(eventlog_read(path, NULL, NULL, &e) < 0);
	CHECK(strstr(e.text, "not a plain file"));
	e = (struct err){ 0 };
	CHECK(!eventlog_open(path, NULL, NULL, &e));
	CHECK(strstr(e.text, "not a plain file"));
	CHECK_OK(tree_remove(dir, &e));
}

TEST_MAIN()
