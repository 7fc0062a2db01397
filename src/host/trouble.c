#include "host/trouble.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum { EXIT_NOT_RUNNABLE = 126, EXIT_NOT_FOUND = 127 };

static const struct {
	const char *name;
	enum err_kind kind;
	bool may_pass;
	bool is_of_place;
	const char *text;
} rows[] = {
	[TROUBLE_NONE] = { "none", ERR_NONE, false, false, "" },
#define TROUBLE(name, kind, again, of_place, text)                                                 \
	[TROUBLE_##name] = { #name, ERR_##kind, again, of_place, text },
#include "host/troubles.def"
#undef TROUBLE
};

struct said {
	const char *words;
	enum trouble trouble;
};

static const struct said by_ssh[] = {
#define SAID_SSH(words, name) { words, TROUBLE_##name },
#define SAID_COMMAND(words, name)
#include "host/said.def"
#undef SAID_SSH
#undef SAID_COMMAND
};

static const struct said by_command[] = {
#define SAID_SSH(words, name)
#define SAID_COMMAND(words, name) { words, TROUBLE_##name },
#include "host/said.def"
#undef SAID_SSH
#undef SAID_COMMAND
};

const char *trouble_name(enum trouble t)
{
	return rows[t].name;
}

const char *trouble_text(enum trouble t)
{
	return rows[t].text;
}

enum err_kind trouble_kind(enum trouble t)
{
	return rows[t].kind;
}

bool trouble_may_pass(enum trouble t)
{
	return rows[t].may_pass;
}

bool trouble_is_of_place(enum trouble t)
{
	return rows[t].is_of_place;
}

enum trouble trouble_find(const char *name)
{
	for (int t = TROUBLE_NONE + 1; t < TROUBLE_NR; t++)
		if (str_equal(rows[t].name, name))
			return (enum trouble)t;
	return TROUBLE_NONE;
}

static enum trouble find_said(const struct said *list, size_t nr, const char *said,
			      enum trouble otherwise)
{
	for (size_t i = 0; i < nr; i++)
		if (strstr(said, list[i].words))
			return list[i].trouble;
	return otherwise;
}

enum trouble trouble_of_ssh(const char *said)
{
	return find_said(by_ssh, ARRAY_LEN(by_ssh), said, TROUBLE_lost);
}

enum trouble trouble_of_command(int exit_code, const char *said, enum trouble otherwise)
{
	bool is_missing = exit_code == EXIT_NOT_FOUND || exit_code == EXIT_NOT_RUNNABLE;
	return find_said(by_command, ARRAY_LEN(by_command), said,
			 is_missing ? TROUBLE_no_program : otherwise);
}
