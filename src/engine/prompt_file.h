/*
 * A prompt file (docs/prompts.md): its first line says what it is, "<!-- judge, version 1 -->"; in
 * the text behind it {{slot}} stands for what forge fills in there, and the lines between {{?slot}}
 * and {{/slot}} stand only where that slot holds something. What was filled in is not read again: a
 * slot's name in the text of a task or of an agent means nothing.
 */
#ifndef FORGE_ENGINE_PROMPT_FILE_H
#define FORGE_ENGINE_PROMPT_FILE_H

struct err;
struct str;
struct strv;

struct prompt_filling {
	const char *path; /* for messages */
	const char *name; /* what the first line must say */
	void *ctx;
	/* Append what the slot holds; nothing: it is empty. An unknown slot is an error, which gets
	 * the file and line put before it. */
	int (*fill)(void *ctx, const char *slot, struct str *out, struct err *e);
};

/* The version in the first line, from 1; -1 with the line that belongs there. */
long prompt_file_version(const char *path, const char *name, const char *text, struct err *e);
/* Append the text with its slots filled; their names go to `used`, each once. */
int prompt_file_fill(const struct prompt_filling *f, const char *text, struct str *out,
		     struct strv *used, struct err *e);

#endif
