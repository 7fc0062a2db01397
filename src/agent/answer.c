#include "agent/answer.h"

/* The border for what agents say: behind it nobody checks types again. */

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"

/* A reason for people; a source or a curriculum is no remark and stays as it is. */
enum { MAX_NOTE_LEN = 400, MAX_REMARK_BYTES = 2000 };

#define FITS(kind) (1u << (kind))
#define FITS_STUDENT (FITS(TURN_ROUND) | FITS(TURN_ABLATION) | FITS(TURN_GOAL))
#define FITS_SUBMIT (FITS_STUDENT | FITS(TURN_GENERATE))
#define FITS_COURSE (FITS(TURN_CURRICULUM) | FITS(TURN_REVISION))
#define FITS_ALL (FITS(TURN_JUDGE) | FITS(TURN_RECONNAISSANCE) | FITS_COURSE | FITS_SUBMIT)

struct answer_row {
	const char *type;
	const char *member; /* required text */
	unsigned fits;
	bool is_remark; /* text for people; it may be empty */
};

static const struct answer_row rows[] = {
	[ANSWER_NONE] = { "none", NULL, 0, false },
	[ANSWER_JUDGE] = { "judge", "source", FITS(TURN_JUDGE), false },
	[ANSWER_FINDINGS] = { "findings", "findings", FITS(TURN_RECONNAISSANCE), false },
	[ANSWER_CURRICULUM] = { "curriculum", "toml", FITS_COURSE, false },
	[ANSWER_SUBMIT] = { "submit", "source", FITS_SUBMIT, false },
	[ANSWER_GIVE_UP] = { "give_up", "reason", FITS_ALL, true },
	[ANSWER_HANDBACK] = { "handback", "reason", FITS(TURN_ROUND) | FITS(TURN_ABLATION), true },
	[ANSWER_ERROR] = { "error", "text", FITS_ALL, true },
	[ANSWER_STOPPED] = { "stopped", NULL, 0, false },
};

const char *answer_kind_name(enum answer_kind kind)
{
	return rows[kind].type;
}

enum answer_kind answer_kind_parse(const char *type)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].member && str_equal(rows[i].type, type))
			return (enum answer_kind)i;
	return ANSWER_NONE;
}

void answer_clear(struct agent_answer *answer)
{
	json_decref(answer->predicted);
	answer->predicted = NULL;
	answer->kind = ANSWER_NONE;
	answer->text = answer->note = answer->value = answer->failure = NULL;
	answer->retry_at_s = 0;
}

bool agent_answer_is_out_of_reach(const struct agent_answer *answer)
{
	static const char *const classes[] = { "auth",       "billing", "invalid", "rate_limit",
					       "overloaded", "server",  "network", "unsupported" };
	for (size_t i = 0; answer->failure && i < ARRAY_LEN(classes); i++)
		if (str_equal(classes[i], answer->failure))
			return answer->kind == ANSWER_ERROR;
	return false;
}

bool agent_answer_is_no_resume(const struct agent_answer *answer)
{
	return answer->kind == ANSWER_ERROR && str_equal(answer->failure, "resume");
}

static const char *short_text(struct agent_answer *answer, const json_t *obj, const char *key)
{
	const char *text = json_text_or(obj, key, NULL);
	if (!text)
		return NULL;
	size_t len = strlen(text);
	/* Cut between characters: bytes 10xxxxxx go on with the one before. */
	while (len > MAX_NOTE_LEN || (len < strlen(text) && (text[len] & 0xc0) == 0x80))
		len--;
	return arena_strndup(&answer->arena, text, len);
}

static json_t *numbers_only(const json_t *obj)
{
	json_t *out = json_object();
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)(uintptr_t)obj, key, value)
	{
		if (json_is_number(value))
			json_object_set(out, key, value);
	}
	return out;
}

int answer_take(struct agent_answer *answer, enum turn_kind turn, const json_t *obj, struct err *e)
{
	enum answer_kind kind = answer_kind_parse(json_text_or(obj, "type", ""));
	const struct answer_row *row = &rows[kind];
	const char *text;
	if (!(row->fits & FITS(turn)))
		return err_set(e, ERR_INPUT, "answer %s does not fit a turn of kind %s", row->type,
			       turn_kind_name(turn));
	if (json_get_text(obj, row->member, row->type, &text, e) < 0)
		return -1;
	if (!text[0] && !row->is_remark)
		return err_set(e, ERR_INPUT, "%s: member \"%s\" is empty", row->type, row->member);
	answer->kind = kind;
	AUTO_STR struct str remark = STR_INIT;
	if (row->is_remark)
		untrusted_block(&remark, text, MAX_REMARK_BYTES);
	answer->text = arena_strdup(&answer->arena, row->is_remark ? remark.text : text);
	answer->note = short_text(answer, obj, "note");
	answer->value = short_text(answer, obj, "value");
	answer->failure = kind == ANSWER_ERROR ? short_text(answer, obj, "class") : NULL;
	answer->retry_at_s = json_int_or(obj, "retry_at", 0);
	const json_t *predicted = json_object_get(obj, "predicted");
	answer->predicted = json_is_object(predicted) ? numbers_only(predicted) : NULL;
	return 0;
}
