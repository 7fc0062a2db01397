#include "base/digest.h"

#include <sodium.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_DIGEST_FILE_BYTES = 1 << 30, MAX_DIGEST_DEPTH = 64 };

struct digest digest_bytes(const void *bytes, size_t len)
{
	unsigned char raw[crypto_hash_sha256_BYTES];
	struct digest d;
	crypto_hash_sha256(raw, bytes, len);
	sodium_bin2hex(d.hex, sizeof(d.hex), raw, sizeof(raw));
	return d;
}

struct digest digest_text(const char *text)
{
	return digest_bytes(text, strlen(text));
}

int digest_file(const char *path, struct digest *out, struct err *e)
{
	AUTO_STR struct str bytes = STR_INIT;
	if (file_read(path, MAX_DIGEST_FILE_BYTES, &bytes, e) < 0)
		return -1;
	*out = digest_bytes(bytes.text, bytes.len);
	return 0;
}

/* One line a file ("<hex>  <path>\n"), so that the listing itself can be checked by sha256sum -c.
 */
static int list_tree(const char *dir, const char *below, int depth, struct str *lines,
		     struct err *e)
{
	AUTO_STRV struct strv names = { 0 };
	if (depth > MAX_DIGEST_DEPTH)
		return err_set(e, ERR_INPUT, "digest %s: folders nested too deep", dir);
	if (dir_list(dir, &names, e) < 0)
		return -1;
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *path = path_join(dir, names.items[i]);
		AUTO_FREE char *name = xasprintf("%s%s", below, names.items[i]);
		if (file_is_dir(path)) {
			AUTO_FREE char *deeper = xasprintf("%s/", name);
			if (list_tree(path, deeper, depth + 1, lines, e) < 0)
				return -1;
			continue;
		}
		struct digest d;
		if (digest_file(path, &d, e) < 0)
			return -1;
		str_addf(lines, "%s  %s\n", d.hex, name);
	}
	return 0;
}

int digest_list(const char *dir, struct str *lines, struct err *e)
{
	return list_tree(dir, "", 0, lines, e);
}

int digest_tree(const char *dir, struct digest *out, struct err *e)
{
	AUTO_STR struct str lines = STR_INIT;
	if (digest_list(dir, &lines, e) < 0)
		return -1;
	*out = digest_bytes(lines.text, lines.len);
	return 0;
}
