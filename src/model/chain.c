#include "model/chain.h"

/* hash(i) = SHA-256 of "hash(i-1) name digest\n", so that a link can neither be changed nor moved
 * without changing every hash after it. The set of links is closed: a chain with one missing is no
 * chain. */

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

enum { CHAIN_VERSION = 1 };

static const struct {
	const char *name;
	const char *path;
	const char *text;
} rows[CHAIN_NR] = {
#define LINK(id, path, text) [CHAIN_##id] = { #id, path, text },
#include "model/links.def"
#undef LINK
};

/* Links that must hold the same digest, and what it means when they do not. */
static const struct {
	enum link_kind one;
	enum link_kind other;
} equals[] = {
	{ CHAIN_source, CHAIN_judged },       { CHAIN_source, CHAIN_timed },
	{ CHAIN_source, CHAIN_exported },     { CHAIN_object, CHAIN_judged_object },
	{ CHAIN_object, CHAIN_timed_object },
};

const char *chain_link_name(enum link_kind kind)
{
	return rows[kind].name;
}

const char *chain_link_text(enum link_kind kind)
{
	return rows[kind].text;
}

const char *chain_link_path(enum link_kind kind)
{
	return rows[kind].path;
}

void chain_set(struct chain *c, enum link_kind kind, const char *digest)
{
	c->digests[kind] = arena_strdup(&c->arena, digest ? digest : "");
}

static const char *digest_of(const struct chain *c, enum link_kind kind)
{
	return c->digests[kind] ? c->digests[kind] : "";
}

static struct digest hash_of(const struct chain *c, enum link_kind kind)
{
	const char *before = kind ? c->hashes[kind - 1].hex : "";
	AUTO_FREE char *line = xasprintf("%s %s %s\n", before, rows[kind].name, digest_of(c, kind));
	return digest_text(line);
}

void chain_close(struct chain *c)
{
	for (int i = 0; i < CHAIN_NR; i++)
		c->hashes[i] = hash_of(c, (enum link_kind)i);
}

const char *chain_head(const struct chain *c)
{
	return c->hashes[CHAIN_NR - 1].hex;
}

static int say_differ(const struct chain *c, enum link_kind one, enum link_kind other,
		      struct err *e)
{
	return err_set(e, ERR_CONFLICT, "%s (%s, sha256 %.12s) is not %s (%s, sha256 %.12s)",
		       rows[other].name, rows[other].text, digest_of(c, other), rows[one].name,
		       rows[one].text, digest_of(c, one));
}

int chain_check(const struct chain *c, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(equals); i++) {
		const char *one = digest_of(c, equals[i].one);
		if (!*one || !str_equal(one, digest_of(c, equals[i].other)))
			return say_differ(c, equals[i].one, equals[i].other, e);
	}
	return 0;
}

json_t *chain_to_json(const struct chain *c)
{
	json_t *links = json_array();
	for (int i = 0; i < CHAIN_NR; i++)
		json_array_append_new(links, json_pack("{s:s, s:s, s:s}", "name", rows[i].name,
						       "digest", digest_of(c, (enum link_kind)i),
						       "hash", c->hashes[i].hex));
	return json_pack("{s:i, s:s, s:o}", "version", CHAIN_VERSION, "head", chain_head(c),
			 "links", links);
}

static int read_link(struct chain *c, enum link_kind kind, const json_t *obj, const char *doc,
		     struct err *e)
{
	const char *name, *digest, *hash;
	if (json_get_text(obj, "name", doc, &name, e) < 0 ||
	    json_get_text(obj, "digest", doc, &digest, e) < 0 ||
	    json_get_text(obj, "hash", doc, &hash, e) < 0)
		return -1;
	if (!str_equal(name, rows[kind].name))
		return err_set(e, ERR_CONFLICT, "%s: link %d is \"%s\" and not \"%s\"", doc,
			       (int)kind + 1, name, rows[kind].name);
	chain_set(c, kind, digest);
	c->hashes[kind] = hash_of(c, kind);
	if (str_equal(hash, c->hashes[kind].hex))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: the chain is broken at \"%s\" (%s)", doc, name,
		       rows[kind].text);
}

static int check_head(const struct chain *c, const json_t *json, const char *doc, struct err *e)
{
	if (str_equal(json_text_or(json, "head", ""), chain_head(c)))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: the head is not the last link's hash", doc);
}

int chain_from_json(struct chain *c, const json_t *json, const char *doc, struct err *e)
{
	json_t *links = NULL;
	int64_t version = 0;
	*c = (struct chain){ 0 };
	if (json_get_int(json, "version", doc, &version, e) < 0 ||
	    json_get_array(json, "links", doc, &links, e) < 0)
		return -1;
	if (version != CHAIN_VERSION || json_array_size(links) != CHAIN_NR)
		return err_set(e, ERR_INPUT,
			       "%s: version %lld with %zu links; this forge reads version %d with "
			       "%d",
			       doc, (long long)version, json_array_size(links), CHAIN_VERSION,
			       CHAIN_NR);
	for (int i = 0; i < CHAIN_NR; i++)
		if (read_link(c, (enum link_kind)i, json_array_get(links, (size_t)i), doc, e) < 0)
			return -1;
	return check_head(c, json, doc, e);
}

void chain_release(struct chain *c)
{
	arena_release(&c->arena);
	*c = (struct chain){ 0 };
}
