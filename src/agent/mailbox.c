#include "agent/mailbox.h"

/* All of forge's own access goes by the three descriptors that were opened before the agent was
 * started. Files appear by rename, so nobody sees a half; a message is removed when it is answered,
 * so one that was under way when forge died is seen again. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/mailbox_file.h"
#include "agent/mailbox_post.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"

/* Somebody waits for the answer: as short as a person does not notice. */
#define LOOK_NS (50 * NS_PER_MS)
/* Names looked at in one go: a client that fills its own folder slows down itself alone. */
enum { MAX_LOOKED = 4096 };

static const char turn_name[] = "turn.json";
static const char state_name[] = "state.json";

static int open_folder(int at, const char *name, int *out, struct err *e)
{
	*out = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *out < 0 ? err_errno(e, ERR_SYSTEM, "open folder %s of a mailbox", name) : 0;
}

int mailbox_open(struct mailbox *m, const char *path, struct err *e)
{
	AUTO_FREE char *in = path_join(path, "in");
	AUTO_FREE char *out = path_join(path, "out");
	*m = (struct mailbox)MAILBOX_INIT;
	if (dir_make(in, e) < 0 || dir_make(out, e) < 0)
		return -1;
	if (open_folder(AT_FDCWD, path, &m->dir, e) == 0 &&
	    open_folder(m->dir, "in", &m->in, e) == 0 &&
	    open_folder(m->dir, "out", &m->out, e) == 0)
		return 0;
	mailbox_close(m);
	return -1;
}

void mailbox_close(struct mailbox *m)
{
	const int fds[] = { m->dir, m->in, m->out };
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*m = (struct mailbox)MAILBOX_INIT;
}

int mailbox_offer(struct mailbox *m, const json_t *turn, struct err *e)
{
	if (turn)
		return mailbox_file_write(m->dir, turn_name, turn, e);
	if (unlinkat(m->dir, turn_name, 0) < 0 && errno != ENOENT)
		return err_errno(e, ERR_SYSTEM, "remove %s of a mailbox", turn_name);
	return 0;
}

int mailbox_tell(struct mailbox *m, const json_t *state, struct err *e)
{
	return mailbox_file_write(m->dir, state_name, state, e);
}

bool mailbox_has_state(const struct mailbox *m)
{
	return faccessat(m->dir, state_name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* "0123456789abcdef.json". */
static bool is_message_name(const char *name)
{
	return strspn(name, "0123456789abcdef") == MAILBOX_ID_LEN &&
	       str_equal(name + MAILBOX_ID_LEN, ".json");
}

static int refuse(struct mailbox *m, const char *id, const char *text, struct err *e)
{
	AUTO_STR struct str shown = STR_INIT;
	untrusted_line(&shown, text, 0);
	AUTO_JSON json_t *reply = json_pack("{s:s, s:s}", "type", "malformed", "text", shown.text);
	return mailbox_reply(m, id, reply, e);
}

/* 1: `mail` is filled; 0: it is none. */
static int read_message(struct mailbox *m, const char *name, struct mail *mail, struct err *e)
{
	struct err why = { 0 };
	AUTO_JSON json_t *line = NULL;
	snprintf(mail->id, sizeof(mail->id), "%.*s", MAILBOX_ID_LEN, name);
	int got = mailbox_file_read(m->in, name, &line, &why);
	if (got == 0)
		return 0;
	if (got < 0)
		return refuse(m, mail->id, why.text, e);
	mail->line = json_incref(line);
	return 1;
}

static int look(struct mailbox *m, struct mail *mail, struct err *e)
{
	int fd = openat(m->in, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int got = 0;
	int nr = 0;
	if (!dir) {
		err_errno(e, ERR_SYSTEM, "look into a mailbox");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	for (struct dirent *d = readdir(dir); d && got == 0 && nr < MAX_LOOKED; d = readdir(dir)) {
		nr++;
		if (is_message_name(d->d_name))
			got = read_message(m, d->d_name, mail, e);
	}
	closedir(dir);
	return got;
}

int mailbox_take(struct mailbox *m, struct mail *mail, uint64_t wait_ns, struct err *e)
{
	uint64_t until_ns = clock_mono_ns() + wait_ns;
	*mail = (struct mail){ .line = NULL };
	for (;;) {
		int got = look(m, mail, e);
		uint64_t now_ns = clock_mono_ns();
		if (got != 0 || now_ns >= until_ns)
			return got;
		clock_sleep_ns(until_ns - now_ns < LOOK_NS ? until_ns - now_ns : LOOK_NS);
	}
}

int mailbox_reply(struct mailbox *m, const char *id, const json_t *reply, struct err *e)
{
	AUTO_FREE char *name = xasprintf("%s.json", id);
	if (mailbox_file_write(m->out, name, reply, e) < 0)
		return -1;
	if (unlinkat(m->in, name, 0) < 0 && errno != ENOENT)
		return err_errno(e, ERR_SYSTEM, "remove message %s of a mailbox", name);
	return 0;
}

int mailbox_refuse_all(struct mailbox *m, const char *text, struct err *e)
{
	struct mail mail;
	int got;
	while ((got = mailbox_take(m, &mail, 0, e)) > 0) {
		json_decref(mail.line);
		if (refuse(m, mail.id, text, e) < 0)
			return -1;
	}
	return got;
}

/* A client may have come to a folder that is none, and opens by path. */
static int read_part(const char *dir, const char *name, json_t **out, struct err *e)
{
	AUTO_CLOSE int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*out = NULL;
	if (fd < 0)
		return err_errno(e, ERR_INPUT, "open mailbox %s", dir);
	int got = mailbox_file_read(fd, name, out, e);
	return got < 0 ? err_wrap(e, "%s/%s", dir, name) : got;
}

int mailbox_state(const char *dir, json_t **state, struct err *e)
{
	int got = read_part(dir, state_name, state, e);
	if (got == 0)
		return err_set(e, ERR_INPUT, "%s is no mailbox: it has no %s", dir, state_name);
	return got < 0 ? -1 : 0;
}

int mailbox_turn(const char *dir, json_t **turn, struct err *e)
{
	int got = read_part(dir, turn_name, turn, e);
	if (got == 0)
		return err_set(e, ERR_CONFLICT, "no turn is open now");
	return got < 0 ? -1 : 0;
}

/* The line as it is sent: it says which turn it is for. */
static json_t *with_turn(const char *dir, const json_t *line, struct err *e)
{
	AUTO_JSON json_t *turn = NULL;
	if (mailbox_turn(dir, &turn, e) < 0)
		return NULL;
	json_t *whole = json_copy((json_t *)(uintptr_t)line);
	if (!json_object_get(whole, "turn"))
		json_object_set(whole, "turn", json_object_get(turn, "id"));
	return whole;
}

static int wait_reply(const char *dir, const char *id, double timeout_s, json_t **reply,
		      struct err *e)
{
	uint64_t until_ns = clock_mono_ns() + (uint64_t)(timeout_s * 1e9);
	for (;;) {
		int got = mailbox_fetch(dir, id, reply, e);
		if (got != 0)
			return got > 0 ? 0 : -1;
		if (timeout_s > 0 && clock_mono_ns() >= until_ns)
			return err_set(e, ERR_TIMEOUT, "forge did not answer within %g s",
				       timeout_s);
		clock_sleep_ns(LOOK_NS);
	}
}

static int send_and_wait(const char *dir, const json_t *line, double timeout_s, json_t **reply,
			 struct err *e)
{
	char id[MAILBOX_ID_LEN + 1];
	if (mailbox_post(dir, line, id, e) < 0)
		return -1;
	int rc = wait_reply(dir, id, timeout_s, reply, e);
	if (rc < 0 && str_equal(json_text_or(line, "type", ""), "tool"))
		mailbox_withdraw(dir, id);
	return rc;
}

int mailbox_call(const char *dir, const json_t *line, double timeout_s, json_t **reply,
		 struct err *e)
{
	*reply = NULL;
	AUTO_JSON json_t *whole = with_turn(dir, line, e);
	return whole ? send_and_wait(dir, whole, timeout_s, reply, e) : -1;
}
