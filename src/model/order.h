/*
 * Order and answer of a delivery, which travels to a machine that forge does not run on
 * (docs/format/delivery.md). That
 * is a folder:
 *
 *   order.json   what is asked, and the digest of the bundle that it is asked of
 *   bundle/      the job bundle (model/job.h); empty for a probe
 *   answer.json  by the worker, last: what it made, with digests
 *
 * The same folder goes by ssh, by a queue or by hand; who reads it believes no file without its
 * digest.
 */
#ifndef FORGE_MODEL_ORDER_H
#define FORGE_MODEL_ORDER_H

#include <jansson.h>
#include <stdbool.h>

struct err;

#define DELIVERY_ORDER "order.json"
#define DELIVERY_BUNDLE "bundle"
#define DELIVERY_ANSWER "answer.json"
/* By a worker that begins: the list of the bundle as it was sent (base/digest.h). */
#define DELIVERY_BEGUN "begun"
/* Locked while a worker of a spool is at it, and what is there while its job runs. */
#define DELIVERY_TAKEN "taken"
#define DELIVERY_WORKS "works"
/* Of a probe, in the bundle. */
#define DELIVERY_PROBE "probe.json"

struct order {
	json_t *doc;        /* owns the texts */
	bool is_probe;      /* what the machine is; else: run the bundle */
	const char *ask;    /* tells two askings of one bundle apart; "": none */
	const char *bundle; /* tree digest */
	const char *gpu;    /* for CUDA_VISIBLE_DEVICES; "": all */
	const char *cache;  /* a folder of the host for finished builds; "": none */
	double deadline_s;  /* of the work, a backstop behind the job's own */
};

/* `doc` is not used. */
int order_save(const struct order *o, const char *dir, struct err *e);
int order_load(struct order *o, const char *dir, struct err *e);
void order_release(struct order *o);
#define AUTO_ORDER __attribute__((cleanup(order_release)))

struct answer {
	json_t *doc;        /* owns the texts */
	const char *ask;    /* of the order */
	const char *bundle; /* digest of the bundle that was found there */
	const char
		*trouble; /* a word of src/host/troubles.def, or "": the worker ended by itself */
	const char *text; /* how it ended, for people */
	int exit_code;    /* of the worker */
	int signal;
	double work_s; /* what the work took; all else was waiting and travelling */
	json_t *files; /* path below bundle/ -> SHA-256, of all that is new or changed */
};

int answer_save(const struct answer *a, const char *dir, struct err *e);
int answer_load(struct answer *a, const char *dir, struct err *e);
void answer_release(struct answer *a);
/* Is there an answer, to this asking? One that can not be read may be half of one, and counts. */
bool answer_is_there(const char *dir, const char *ask);
#define AUTO_ANSWER __attribute__((cleanup(answer_release)))

#endif
