#include "mcp/mcp_in.h"

/* Documents beside the tools, for clients that show such to a model or to a person: what the turn
 * asks, the course, what the last candidate measured, the report. Each is read when it is asked
 * for; only what is there now is listed. */

#include <string.h>

#include "agent/mailbox.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "mcp/mcp_turn.h"
#include "store/rundir.h"

enum { MAX_DOCUMENT_BYTES = 8 << 20, MAX_VERSIONS = 100000 };

/* Append the document; false: there is none now. */
typedef bool (*resource_fn)(const struct mcp *m, struct str *out);

static bool add_text(struct str *out, const char *text)
{
	if (text)
		untrusted_block(out, text, 0);
	return text != NULL;
}

static bool add_file(struct str *out, const char *path)
{
	struct err ignored = { 0 };
	AUTO_STR struct str text = STR_INIT;
	return file_exists(path) && file_read(path, MAX_DOCUMENT_BYTES, &text, &ignored) == 0 &&
	       add_text(out, text.text);
}

static bool read_turn(const struct mcp *m, struct str *out)
{
	struct err ignored = { 0 };
	AUTO_MCP_TURN struct mcp_turn turn = { 0 };
	return mcp_turn_load(&turn, m, &ignored) == 0 &&
	       add_text(out, json_text_or(turn.json, "prompt", NULL));
}

/* The newest version that was published; none is ever taken back. */
static bool read_published(const char *run_dir, struct str *out)
{
	AUTO_FREE char *newest = NULL;
	for (long version = 1; version < MAX_VERSIONS; version++) {
		AUTO_FREE char *path = rundir_curriculum(run_dir, version);
		if (!file_exists(path))
			break;
		free(newest);
		newest = take_ptr(&path);
	}
	return newest && add_file(out, newest);
}

static bool read_curriculum(const struct mcp *m, struct str *out)
{
	struct err ignored = { 0 };
	AUTO_MCP_TURN struct mcp_turn turn = { 0 };
	if (m->spec.run_dir)
		return read_published(m->spec.run_dir, out);
	return mcp_turn_load(&turn, m, &ignored) == 0 &&
	       add_text(out, json_text_or(turn.data, "curriculum", NULL));
}

static bool add_json(struct str *out, const json_t *value)
{
	if (!json_is_object(value))
		return false;
	AUTO_FREE char *page = json_page(value);
	str_add(out, page);
	return true;
}

static bool read_feedback(const struct mcp *m, struct str *out)
{
	struct err ignored = { 0 };
	json_t *loaded = NULL;
	AUTO_MCP_TURN struct mcp_turn turn = { 0 };
	if (mcp_turn_load(&turn, m, &ignored) == 0 &&
	    add_json(out, json_object_get(turn.data, "feedback")))
		return true;
	mailbox_state(m->spec.mailbox, &loaded, &ignored);
	AUTO_JSON json_t *state = loaded;
	return add_json(out, json_object_get(state, "last"));
}

static bool read_report(const struct mcp *m, struct str *out)
{
	AUTO_FREE char *path =
		m->spec.run_dir ? rundir_path(m->spec.run_dir, RUNDIR_REPORT_MD) : NULL;
	return path && add_file(out, path);
}

static const struct resource {
	const char *uri;
	const char *name;
	const char *mime;
	const char *description;
	resource_fn read;
} resources[] = {
	{ "forge://turn", "turn", "text/markdown", "What the open turn asks for", read_turn },
	{ "forge://curriculum", "curriculum", "application/toml",
	  "The curriculum in force: milestones and decisions", read_curriculum },
	{ "forge://feedback", "feedback", "application/json",
	  "What the last candidate measured, with its verdict", read_feedback },
	{ "forge://report", "report", "text/markdown", "The report, once the run has ended",
	  read_report },
};

int mcp_list_resources(struct mcp *m, const struct mcp_ask *ask, json_t **result,
		       struct rpc_fault *f)
{
	json_t *list = json_array();
	(void)ask;
	(void)f;
	for (size_t i = 0; i < ARRAY_LEN(resources); i++) {
		const struct resource *r = &resources[i];
		AUTO_STR struct str text = STR_INIT;
		if (r->read(m, &text))
			json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "uri", r->uri,
							      "name", r->name, "mimeType", r->mime,
							      "description", r->description));
	}
	*result = json_pack("{s:o}", "resources", list);
	return 0;
}

int mcp_list_templates(struct mcp *m, const struct mcp_ask *ask, json_t **result,
		       struct rpc_fault *f)
{
	(void)m;
	(void)ask;
	(void)f;
	*result = json_pack("{s:[]}", "resourceTemplates");
	return 0;
}

static const struct resource *find_resource(const char *uri)
{
	for (size_t i = 0; i < ARRAY_LEN(resources); i++)
		if (str_equal(resources[i].uri, uri))
			return &resources[i];
	return NULL;
}

int mcp_read_resource(struct mcp *m, const struct mcp_ask *ask, json_t **result,
		      struct rpc_fault *f)
{
	AUTO_STR struct str text = STR_INIT;
	const char *uri = json_text_or(ask->params, "uri", NULL);
	const struct resource *r = uri ? find_resource(uri) : NULL;
	enum rpc_code missing = ask->era == MCP_LEGACY ? RPC_NO_RESOURCE : RPC_BAD_PARAMS;
	if (!uri)
		return rpc_fault_set(f, RPC_BAD_PARAMS, "resources/read: \"uri\" must be a string");
	if (!r)
		return rpc_fault_set(f, missing, "there is no resource %.100s", uri);
	if (!r->read(m, &text))
		return rpc_fault_set(f, missing, "there is no resource %s now", r->uri);
	*result = json_pack("{s:[{s:s, s:s, s:s}]}", "contents", "uri", r->uri, "mimeType", r->mime,
			    "text", text.text);
	return 0;
}
