#include "store/seal.h"

/* One line that says what it is and by which key, then base64 in lines of 76: the file stays text,
 * so that whatever handles sources handles it, and a person who opens it sees at once why it looks
 * like that. The key's name is a digest of the key and tells nothing about it. */

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

static const char magic[] = "forge-sealed 1 key ";

enum { KEY_ID_LEN = 16, LINE_LEN = 76, MAX_SEALED_BYTES = 64 << 20 };

struct seal_key {
	unsigned char bytes[crypto_secretbox_KEYBYTES];
	char id[KEY_ID_LEN + 1];
};

static int start_sodium(struct err *e)
{
	return sodium_init() < 0 ? err_set(e, ERR_SYSTEM, "libsodium can not be started") : 0;
}

char *seal_key_path(struct err *e)
{
	const char *own = getenv("FORGE_KEYS");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	if (own && *own)
		return path_join(own, "seal.key");
	if (data && *data)
		return path_join(data, "forge/seal.key");
	if (home && *home)
		return path_join(home, ".local/share/forge/seal.key");
	err_set(e, ERR_INPUT, "no place for the sealing key: set FORGE_KEYS or HOME");
	return NULL;
}

static void name_key(struct seal_key *key)
{
	struct digest whole = digest_bytes(key->bytes, sizeof(key->bytes));
	snprintf(key->id, sizeof(key->id), "%.*s", KEY_ID_LEN, whole.hex);
}

static int load_key(const char *path, struct seal_key *key, struct err *e)
{
	AUTO_STR struct str hex = STR_INIT;
	size_t len = 0;
	if (file_read(path, 4096, &hex, e) < 0)
		return -1;
	if (sodium_hex2bin(key->bytes, sizeof(key->bytes), hex.text, hex.len, "\n", &len, NULL) !=
		    0 ||
	    len != sizeof(key->bytes))
		return err_set(e, ERR_INPUT, "%s: not a sealing key (64 hex characters)", path);
	name_key(key);
	sodium_memzero(hex.text, hex.len);
	return 0;
}

/* Written under another name and linked: two that make it at once end up with one key. */
static int make_key(const char *path, struct err *e)
{
	unsigned char bytes[crypto_secretbox_KEYBYTES];
	char hex[2 * sizeof(bytes) + 1];
	AUTO_FREE char *dir = path_dir(path);
	AUTO_FREE char *draft = xasprintf("%s.%ld", path, (long)getpid());
	if (dir_make(dir, e) < 0)
		return -1;
	AUTO_CLOSE int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(e, ERR_SYSTEM, "make %s", draft);
	randombytes_buf(bytes, sizeof(bytes));
	sodium_bin2hex(hex, sizeof(hex), bytes, sizeof(bytes));
	bool is_written =
		write(fd, hex, sizeof(hex) - 1) == (ssize_t)sizeof(hex) - 1 && fsync(fd) == 0;
	if (is_written && link(draft, path) < 0 && errno != EEXIST)
		is_written = false;
	int why = errno;
	unlink(draft);
	errno = why;
	return is_written ? dir_sync(dir, e) : err_errno(e, ERR_SYSTEM, "write %s", path);
}

static int own_key(struct seal_key *key, struct err *e)
{
	AUTO_FREE char *path = seal_key_path(e);
	if (!path || start_sodium(e) < 0)
		return -1;
	if (!file_exists(path) && make_key(path, e) < 0)
		return -1;
	return load_key(path, key, e);
}

bool seal_is_sealed(const char *text, size_t len)
{
	return len >= sizeof(magic) - 1 && memcmp(text, magic, sizeof(magic) - 1) == 0;
}

static void add_base64(const unsigned char *bytes, size_t len, struct str *out)
{
	size_t cap = sodium_base64_ENCODED_LEN(len, sodium_base64_VARIANT_ORIGINAL);
	AUTO_FREE char *text = xmalloc(cap);
	sodium_bin2base64(text, cap, bytes, len, sodium_base64_VARIANT_ORIGINAL);
	for (size_t at = 0; at < strlen(text); at += LINE_LEN)
		str_addf(out, "%.*s\n", LINE_LEN, text + at);
}

int seal_text(const char *text, size_t len, struct str *out, struct err *e)
{
	struct seal_key key;
	if (own_key(&key, e) < 0)
		return -1;
	size_t box_len = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + len;
	AUTO_FREE unsigned char *box = xmalloc(box_len);
	randombytes_buf(box, crypto_secretbox_NONCEBYTES);
	crypto_secretbox_easy(box + crypto_secretbox_NONCEBYTES, (const unsigned char *)text, len,
			      box, key.bytes);
	str_addf(out, "%s%s\n", magic, key.id);
	add_base64(box, box_len, out);
	sodium_memzero(&key, sizeof(key));
	return 0;
}

/* The key that the first line names, or why it can not be had. */
static int find_key(const char *text, const char *name, struct seal_key *key, struct err *e)
{
	AUTO_FREE char *path = seal_key_path(e);
	const char *id = text + sizeof(magic) - 1;
	if (!path || start_sodium(e) < 0)
		return -1;
	if (!file_exists(path))
		return err_set(e, ERR_CONFLICT,
			       "%s: sealed with key %.16s, and there is no key in %s: only who "
			       "sealed it can measure it",
			       name, id, path);
	if (load_key(path, key, e) < 0)
		return -1;
	if (strncmp(key->id, id, KEY_ID_LEN) == 0)
		return 0;
	return err_set(e, ERR_CONFLICT, "%s: sealed with key %.16s; %s is key %s", name, id, path,
		       key->id);
}

static int open_box(const unsigned char *box, size_t len, const struct seal_key *key,
		    const char *name, struct str *out, struct err *e)
{
	size_t head = crypto_secretbox_NONCEBYTES;
	size_t least = head + crypto_secretbox_MACBYTES;
	AUTO_FREE unsigned char *plain = xmalloc(len + 1);
	if (len < least ||
	    crypto_secretbox_open_easy(plain, box + head, len - head, box, key->bytes) != 0)
		return err_set(e, ERR_CONFLICT, "%s: changed after it was sealed", name);
	str_add_len(out, plain, len - least);
	sodium_memzero(plain, len + 1);
	return 0;
}

int seal_open(const char *text, size_t len, const char *name, struct str *out, struct err *e)
{
	struct seal_key key = { .id = "" };
	const char *body = memchr(text, '\n', len);
	size_t box_len = 0;
	AUTO_FREE unsigned char *box = xmalloc(len + 1);
	if (!seal_is_sealed(text, len) || !body)
		return err_set(e, ERR_INPUT, "%s: not a sealed file", name);
	if (find_key(text, name, &key, e) < 0)
		return -1;
	int rc = -1;
	if (sodium_base642bin(box, len, body, len - (size_t)(body - text), "\n", &box_len, NULL,
			      sodium_base64_VARIANT_ORIGINAL) == 0)
		rc = open_box(box, box_len, &key, name, out, e);
	else
		err_set(e, ERR_CONFLICT, "%s: changed after it was sealed", name);
	sodium_memzero(&key, sizeof(key));
	return rc;
}

int seal_file(const char *path, struct err *e)
{
	AUTO_STR struct str plain = STR_INIT;
	AUTO_STR struct str sealed = STR_INIT;
	if (file_read(path, MAX_SEALED_BYTES, &plain, e) < 0)
		return -1;
	if (seal_is_sealed(plain.text, plain.len))
		return 0;
	if (seal_text(plain.text, plain.len, &sealed, e) < 0)
		return err_wrap(e, "seal %s", path);
	return file_write(path, sealed.text, sealed.len, e);
}

int seal_read(const char *path, size_t max_len, struct str *out, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, max_len, &text, e) < 0)
		return -1;
	if (seal_is_sealed(text.text, text.len))
		return seal_open(text.text, text.len, path, out, e);
	str_add_len(out, text.text, text.len);
	return 0;
}

int seal_copy(const char *from, const char *to, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str plain = STR_INIT;
	if (file_read(from, MAX_SEALED_BYTES, &text, e) < 0)
		return -1;
	if (!seal_is_sealed(text.text, text.len))
		return file_copy(from, to, e);
	if (seal_open(text.text, text.len, from, &plain, e) < 0 ||
	    file_write(to, plain.text, plain.len, e) < 0)
		return -1;
	return chmod(to, 0600) < 0 ? err_errno(e, ERR_SYSTEM, "chmod %s", to) : 0;
}
