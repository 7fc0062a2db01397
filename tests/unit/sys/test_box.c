#include "sys/box.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "sys/proc.h"
#include "sys/sandbox.h"
#include "test.h"

/* A folder that is listed, one that is not, and one that may be written. */
struct scene {
	char dir[32];
	char *listed;
	char *secret;
	struct box box;
	struct proc_result r;
};

static void put(const char *dir, const char *name, const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, name);
	CHECK_OK(dir_make(dir, &e));
	CHECK_OK(file_write_text(path, text, &e));
}

static bool open_scene(struct scene *s)
{
	struct err e = { 0 };
	struct sandbox_lacks lacks;
	*s = (struct scene){ .dir = "/tmp/forge-box-XXXXXX" };
	box_lacks(&lacks);
	if (lacks.nr) {
		printf("# skipped: this machine has no %s\n",
		       sandbox_mechanism_what(lacks.items[0].mechanism));
		return false;
	}
	CHECK(mkdtemp(s->dir));
	s->listed = path_join(s->dir, "listed");
	s->secret = path_join(s->dir, "secret");
	s->box.scratch = path_join(s->dir, "scratch");
	put(s->listed, "file", "told");
	put(s->secret, "file", "secret");
	CHECK_OK(dir_make(s->box.scratch, &e));
	box_add_system(&s->box);
	strv_add(&s->box.read, s->listed);
	return true;
}

static void close_scene(struct scene *s)
{
	struct err e = { 0 };
	proc_result_release(&s->r);
	CHECK_OK(tree_remove(s->dir, &e));
	box_release(&s->box);
	free(s->listed);
	free(s->secret);
}

/* In the box, from the folder of the scene. */
static void run(struct scene *s, const char *script)
{
	struct err e = { 0 };
	const char *const argv[] = { "sh", "-c", script, NULL };
	const struct proc_spec spec = { .argv = argv,
					.cwd = s->dir,
					.deadline_ns = 20 * NS_PER_S,
					.is_kept = true,
					.box = &s->box };
	proc_result_release(&s->r);
	CHECK_OK(proc_run(&s->r, &spec, &e));
}

TEST(what_is_listed_is_read_and_nothing_else)
{
	struct scene s;
	if (!open_scene(&s))
		return;
	run(&s, "cat listed/file");
	CHECK_TEXT(s.r.out.text, "told");
	run(&s, "cat secret/file || ls secret || cat /proc/1/environ || ls /root /home");
	CHECK_TEXT(s.r.out.text, "");
	CHECK(!proc_result_is_ok(&s.r));
	close_scene(&s);
}

TEST(one_folder_may_be_written)
{
	struct scene s;
	if (!open_scene(&s))
		return;
	run(&s, "mkdir scratch/a && echo x > scratch/a/b && mv scratch/a/b scratch/c && rm -r "
		"scratch/a && "
		"cat scratch/c");
	CHECK_TEXT(s.r.out.text, "x\n");
	run(&s,
	    "(echo x > listed/new) 2> /dev/null || (echo x > /tmp/forge-box-new) 2> /dev/null || "
	    "(echo x >> listed/file) 2> /dev/null || rm -f listed/file 2> /dev/null || mkfifo "
	    "scratch/pipe");
	CHECK(!proc_result_is_ok(&s.r));
	run(&s, "cat listed/file; ls scratch");
	CHECK_TEXT(s.r.out.text, "toldc\n");
	close_scene(&s);
}

TEST(nobody_outside_gets_a_signal)
{
	struct scene s;
	if (!open_scene(&s))
		return;
	AUTO_FREE char *script =
		xasprintf("kill -0 %ld; echo $?; kill -0 $$; echo $?", (long)getpid());
	run(&s, script);
	CHECK_TEXT(s.r.out.text, "1\n0\n");
	close_scene(&s);
}

/* What it starts sees it, as its folder of /proc is open, and not itself. */
TEST(privileges_are_gone_and_so_are_core_files)
{
	struct scene s;
	if (!open_scene(&s))
		return;
	run(&s, "sh -c 'grep -E \"^(CapEff|CapPrm|NoNewPrivs|Seccomp):\" /proc/$PPID/status'; "
		"grep Cap /proc/self/status; ulimit -c; ulimit -Hc");
	CHECK_TEXT(s.r.out.text, "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
				 "NoNewPrivs:\t1\nSeccomp:\t2\n0\n0\n");
	close_scene(&s);
}

TEST(its_own_folder_of_proc_is_open)
{
	struct scene s;
	if (!open_scene(&s))
		return;
	run(&s, "while read -r name value; do case $name in CapEff: | NoNewPrivs: | Seccomp:) echo "
		"$value ;; esac; "
		"done < /proc/$$/status");
	CHECK_TEXT(s.r.out.text, "0000000000000000\n1\n2\n");
	close_scene(&s);
}

/* The NVIDIA driver does, and does not start where it can not. */
TEST(it_may_name_its_threads)
{
	struct scene s;
	if (!open_scene(&s))
		return;
	run(&s, "echo named > /proc/$$/task/$$/comm && read -r name < /proc/$$/comm && echo $name");
	CHECK_TEXT(s.r.out.text, "named\n");
	close_scene(&s);
}

TEST(no_network_is_there_and_nobody_is_called)
{
	struct scene s;
	if (!open_scene(&s))
		return;
	run(&s, "command -v python3 > /dev/null || { echo no; exit; }\n"
		"python3 -c 'import socket, sys\n"
		"for f in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):\n"
		"    try:\n"
		"        socket.socket(f); sys.exit(1)\n"
		"    except OSError: pass\n"
		"s = socket.socket(socket.AF_UNIX)\n"
		"for f in (lambda: s.connect(\"/x\"), lambda: s.sendto(b\"x\", \"/x\")):\n"
		"    try:\n"
		"        f(); sys.exit(1)\n"
		"    except PermissionError: pass\n"
		"print(\"no\")'");
	CHECK_TEXT(s.r.out.text, "no\n");
	close_scene(&s);
}

TEST_MAIN()
