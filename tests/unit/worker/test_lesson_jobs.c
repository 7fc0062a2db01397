#include "bundle.h"

/* Jobs of kind `lesson`: what a probe says comes back as it said it. No claim about any time is
 * made here. */

static struct bundle lesson_bundle(const char *probe)
{
	struct bundle b = { .dir = "/tmp/forge-bundle-XXXXXX" };
	CHECK(mkdtemp(b.dir));
	b.job = (struct job){
		.id = "test", .kind = JOB_LESSON, .accept_weak_sandbox = true, .deadline_s = 60
	};
	put(&b, "lesson/probe.c", probe);
	return b;
}

static json_t *answer_of(const struct bundle *b, struct result *r)
{
	struct err e = { 0 };
	CHECK_INT(bundle_run(b, NULL), 0);
	CHECK_OK(result_load(r, b->dir, &e));
	CHECK(!r->error);
	json_t *answer = json_object_get(r->doc, "probe");
	CHECK(json_is_object(answer));
	return answer;
}

static const json_t *run_of(const json_t *answer, size_t i)
{
	return json_array_get(json_object_get(answer, "runs"), i);
}

TEST(a_probe_is_built_and_run_three_times)
{
	struct bundle b = lesson_bundle(
		"#include <math.h>\n#include <omp.h>\n#include <stdio.h>\n#include <unistd.h>\n"
		"int main(int argc, char **argv)\n{\n\t(void)argv;\n"
		"\tprintf(\"args %d count\\nroot %.4g ratio\\nthreads %d count\\n\", argc, "
		"sqrt(2.0), omp_get_max_threads() > 0);\n"
		"\tfprintf(stderr, \"pid %d\\n\", (int)getpid());\n\treturn 0;\n}\n");
	AUTO_RESULT struct result r = { 0 };
	json_t *answer = answer_of(&b, &r);
	CHECK(json_bool_or(answer, "built", false));
	CHECK(str_starts(json_text_or(answer, "compiler", ""), "gcc"));
	CHECK_INT(json_array_size(json_object_get(answer, "runs")), 3);
	for (size_t i = 0; i < 3; i++) {
		CHECK_INT(json_int_or(run_of(answer, i), "exit", -1), 0);
		CHECK_TEXT(json_text_or(run_of(answer, i), "out", ""),
			   "args 1 count\nroot 1.414 ratio\nthreads 1 count\n");
	}
	CHECK_INT(r.verdict.state, VERDICT_NONE);
	bundle_remove(&b);
}

TEST(how_a_probe_ends_is_told)
{
	struct bundle b =
		lesson_bundle("#include <stdio.h>\nint main(void)\n{\n"
			      "\tfprintf(stderr, \"one core only\\n\");\n\treturn 77;\n}\n");
	AUTO_RESULT struct result r = { 0 };
	json_t *answer = answer_of(&b, &r);
	CHECK_INT(json_int_or(run_of(answer, 2), "exit", -1), 77);
	CHECK_TEXT(json_text_or(run_of(answer, 2), "err", ""), "one core only\n");
	bundle_remove(&b);
}

TEST(one_that_does_not_build_is_an_answer)
{
	struct bundle b = lesson_bundle("int main(void) { return nothing; }\n");
	AUTO_RESULT struct result r = { 0 };
	json_t *answer = answer_of(&b, &r);
	CHECK(!json_bool_or(answer, "built", true));
	CHECK(strstr(json_text_or(answer, "log", ""), "nothing"));
	CHECK_INT(json_array_size(json_object_get(answer, "runs")), 0);
	bundle_remove(&b);
}

TEST(a_probe_sees_neither_files_nor_the_network)
{
	AUTO_STR struct str probe = STR_INIT;
	char here[4096];
	CHECK(getcwd(here, sizeof(here)) != NULL);
	str_addf(&probe,
		 "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/socket.h>\n"
		 "#include <netinet/in.h>\n#include <arpa/inet.h>\n#include <unistd.h>\n"
		 "int main(void)\n{\n"
		 "\tstruct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(9) };\n"
		 "\tint fd = socket(AF_INET, SOCK_STREAM, 0);\n"
		 "\ta.sin_addr.s_addr = htonl(0x08080808);\n"
		 "\tprintf(\"tree %%d count\\n\", access(\"%s/Makefile\", F_OK) == 0);\n"
		 "\tprintf(\"passwd %%d count\\n\", access(\"/etc/passwd\", F_OK) == 0);\n"
		 "\tprintf(\"procs %%d count\\n\", access(\"/proc/self\", F_OK) == 0);\n"
		 "\tprintf(\"home %%d count\\n\", getenv(\"USER\") != NULL);\n"
		 "\tprintf(\"net %%d count\\n\", fd >= 0 && "
		 "connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0);\n\treturn 0;\n}\n",
		 here);
	struct bundle b = lesson_bundle(probe.text);
	AUTO_RESULT struct result r = { 0 };
	json_t *answer = answer_of(&b, &r);
	if (json_array_size(json_object_get(r.doc, "notes")))
		SKIP("no jail here");
	CHECK_TEXT(json_text_or(run_of(answer, 0), "out", ""),
		   "tree 0 count\npasswd 0 count\nprocs 0 count\nhome 0 count\nnet 0 count\n");
	bundle_remove(&b);
}

TEST_MAIN()
