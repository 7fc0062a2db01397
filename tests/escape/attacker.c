/*
 * The attempts as a program. `attacker SCENE` makes the one that the scene names and reports on
 * descriptor 3 or, where there is none, on standard output. Without an argument it is an agent
 * (docs/format/agent-wire.md) whose scene lies in its workspace: each attempt is made by a child,
 * and its report is a log line "NAME OUTCOME NOTE".
 */
#include "attempts.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROW_TIMEOUT_S = 15 };

static int load(struct scene *s, const char *path)
{
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	ssize_t n = read(fd, s, sizeof(*s));
	close(fd);
	/* The check looks for processes of this name when all is over. */
	char name[16];
	snprintf(name, sizeof(name), "%.15s", s->mark);
	prctl(PR_SET_NAME, name, 0, 0, 0);
	return n == (ssize_t)sizeof(*s) ? 0 : -1;
}

static int one(const char *path)
{
	struct scene s;
	struct report r = { .outcome = HELD };
	char go;
	if (load(&s, path) < 0)
		return 1;
	/* As the runner waits for its order: by then the launcher is done with us. */
	if (s.place == PLACE_JAIL && read(3, &go, 1) != 1)
		return 1;
	attempts[s.row].try(&s, &r);
	if (write(3, &r, sizeof(r)) != sizeof(r))
		return write(1, &r, sizeof(r)) != sizeof(r);
	return 0;
}

/* A row that changes its process (chroot, limits, namespaces) changes a child of ours only. The
 * report comes by memory: the child holds no descriptor that a row could find. */
static void try_in_child(const struct scene *s, int row, struct report *r)
{
	struct report *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*r = (struct report){ .outcome = HELD, .note = "no memory" };
	if (shared == MAP_FAILED)
		return;
	*shared = (struct report){ .outcome = HELD, .note = "it died" };
	pid_t pid = fork();
	if (pid == 0) {
		struct report mine = { .outcome = HELD };
		setpgid(0, 0);
		alarm(ROW_TIMEOUT_S);
		attempts[row].try(s, &mine);
		*shared = mine;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	*r = *shared;
	munmap(shared, sizeof(*shared));
}

static void say(const char *name, const struct report *r)
{
	char text[NOTE_LEN];
	snprintf(text, sizeof(text), "%s", r->note);
	for (char *c = text; *c; c++)
		if (*c == '"' || *c == '\\' || *c < ' ')
			*c = '\'';
	printf("{\"type\":\"log\",\"text\":\"%s %d %s\"}\n", name, (int)r->outcome, text);
	fflush(stdout);
}

static void wait_for_line(const char *what)
{
	static char line[1 << 16];
	while (fgets(line, sizeof(line), stdin))
		if (strstr(line, what))
			return;
	exit(0);
}

static int agent(void)
{
	struct scene s;
	struct report r;
	wait_for_line("\"hello\"");
	puts("{\"type\":\"ready\",\"name\":\"attacker\",\"version\":\"1\"}");
	fflush(stdout);
	wait_for_line("\"turn\"");
	if (load(&s, "scene") < 0)
		return 1;
	for (int i = 0; i < (int)nr_attempts; i++) {
		bool is_asked =
			s.row == i || (s.row == ALL_ROWS && !(attempts[i].flags & ROW_ALONE));
		if (!is_asked || !(attempts[i].places & PLACE_AGENT))
			continue;
		try_in_child(&s, i, &r);
		say(attempts[i].name, &r);
	}
	puts("{\"type\":\"give_up\",\"reason\":\"all tried\"}");
	puts("{\"type\":\"done\",\"usage\":{\"tokens\":0,\"usd\":0}}");
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? one(argv[1]) : agent();
}
