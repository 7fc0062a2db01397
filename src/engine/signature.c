#include "engine/signature.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/sign.h"
#include "base/str.h"

static const char file_name[] = "evidence.sig";

/* The text under the signature tells what it is for: a key that signs other things too can not be
 * led to vouch for a kernel. */
static char *signed_text(const char *head)
{
	return xasprintf("forge evidence 1 %s\n", head);
}

int signature_write(const char *dir, const char *head, const char *key_path, struct err *e)
{
	AUTO_FREE char *text = signed_text(head);
	AUTO_FREE char *path = path_join(dir, file_name);
	AUTO_STR struct str signature = STR_INIT;
	AUTO_STR struct str key = STR_INIT;
	if (sign_text(text, key_path, &signature, &key, e) < 0)
		return -1;
	AUTO_JSON json_t *doc = json_pack("{s:i, s:s, s:s, s:s}", "version", 1, "head", head,
					  "public_key", key.text, "signature", signature.text);
	return json_write_file(path, doc, e);
}

static int check_key(const char *path, const char *key, const char *public_key_path, struct err *e)
{
	AUTO_STR struct str want = STR_INIT;
	if (!public_key_path)
		return 0;
	if (sign_load_public(public_key_path, &want, e) < 0)
		return -1;
	if (str_equal(want.text, key))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: signed by another key (%.16s...) than %s", path, key,
		       public_key_path);
}

static int check_doc(const json_t *doc, const char *path, const char *head, struct err *e)
{
	AUTO_FREE char *text = signed_text(head);
	if (!str_equal(json_text_or(doc, "head", ""), head))
		return err_set(e, ERR_CONFLICT,
			       "%s: it signs another chain; was best/ written again after it was "
			       "signed?",
			       path);
	if (sign_holds(text, json_text_or(doc, "signature", ""),
		       json_text_or(doc, "public_key", "")))
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: the signature does not hold", path);
}

int signature_check(const char *dir, const char *head, const char *public_key_path, struct str *key,
		    struct err *e)
{
	AUTO_FREE char *path = path_join(dir, file_name);
	if (!file_exists(path) && public_key_path)
		return err_set(e, ERR_CONFLICT, "%s: the evidence is not signed", path);
	if (!file_exists(path))
		return 0;
	AUTO_JSON json_t *doc = json_read_file(path, e);
	if (!doc || check_doc(doc, path, head, e) < 0)
		return -1;
	str_add(key, json_text_or(doc, "public_key", ""));
	return check_key(path, key->text, public_key_path, e) < 0 ? -1 : 1;
}
