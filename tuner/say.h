/*
 * What the tuner tells people while it works: lines that forge shows as they come.
 */
#ifndef FORGE_TUNER_SAY_H
#define FORGE_TUNER_SAY_H

/* `text` gets one line without its end. */
struct say {
	void (*text)(void *ctx, const char *text);
	void *ctx;
};

/* `say` may be NULL: nobody listens. */
void say_text(const struct say *say, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
