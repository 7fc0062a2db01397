/*
 * One question to the model: the request, its repetitions where a failure can pass, and the reply.
 * Tools run between two questions, never inside of one, so a repetition does nothing twice.
 */
#ifndef FORGE_LLM_ASK_H
#define FORGE_LLM_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "llm/failure.h"

struct http;
struct llm_settings;
struct llm_wire;
struct mask;
struct reply;
struct talk;

struct asker {
	const struct llm_settings *settings;
	const char *key;         /* or NULL */
	const struct mask *mask; /* of all that leaves */
	struct http *http;
	struct llm_wire *wire; /* is told of text and of waits */
	uint64_t until_ns;     /* monotonic: nothing is waited for beyond it */
	struct rng rng;
	/* Since they were last reset: requests that were sent, and whether one of them broke off
	 * after the model may have begun, so that nobody knows what it cost. */
	uint64_t nr_requests;
	bool has_lost;
};

/* 0: `reply` is whole. -1: `failure` says why there is none; what `reply` holds of usage was told
 * by an attempt that broke off. The reply is initialised here and released by the caller. */
int ask_model(struct asker *a, const struct talk *talk, struct reply *reply,
	      struct failure *failure);

#endif
