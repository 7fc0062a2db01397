#include "base/sign.h"

/* libsodium's Ed25519. A secret key file holds sodium's 64 bytes, seed and public key; it is read,
 * used and wiped within one call. */

#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_KEY_FILE_BYTES = 4096 };

static const char secret_word[] = "forge-secret-key ";
static const char public_word[] = "forge-public-key ";

static int write_key(const char *path, mode_t mode, const char *word, const unsigned char *bytes,
		     size_t len, struct err *e)
{
	char hex[2 * crypto_sign_SECRETKEYBYTES + 1];
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return err_errno(e, ERR_CONFLICT, "create %s", path);
	sodium_bin2hex(hex, sizeof(hex), bytes, len);
	int rc = dprintf(fd, "%s%s\n", word, hex) < 0 || fsync(fd) < 0 ? -1 : 0;
	sodium_memzero(hex, sizeof(hex));
	return rc < 0 ? err_errno(e, ERR_SYSTEM, "write %s", path) : 0;
}

int sign_make_key(const char *path, struct err *e)
{
	unsigned char public_key[crypto_sign_PUBLICKEYBYTES];
	unsigned char secret[crypto_sign_SECRETKEYBYTES];
	AUTO_FREE char *public_path = xasprintf("%s.pub", path);
	if (sodium_init() < 0)
		return err_set(e, ERR_SYSTEM, "make a key: no source of randomness");
	if (file_exists(path) || file_exists(public_path))
		return err_set(e, ERR_CONFLICT, "%s or %s: already there; a key is never replaced",
			       path, public_path);
	crypto_sign_keypair(public_key, secret);
	int rc = write_key(path, 0600, secret_word, secret, sizeof(secret), e);
	sodium_memzero(secret, sizeof(secret));
	if (rc < 0)
		return -1;
	return write_key(public_path, 0644, public_word, public_key, sizeof(public_key), e);
}

static bool from_hex(const char *hex, unsigned char *bytes, size_t len)
{
	size_t got = 0;
	return strlen(hex) == 2 * len &&
	       sodium_hex2bin(bytes, len, hex, strlen(hex), NULL, &got, NULL) == 0 && got == len;
}

static int read_key(const char *path, const char *word, unsigned char *bytes, size_t len,
		    struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, MAX_KEY_FILE_BYTES, &text, e) < 0)
		return -1;
	while (text.len && text.text[text.len - 1] == '\n')
		text.text[--text.len] = 0;
	bool is_key = str_starts(text.text, word) && from_hex(text.text + strlen(word), bytes, len);
	if (text.cap)
		sodium_memzero(text.text, text.len);
	if (is_key)
		return 0;
	return err_set(e, ERR_INPUT, "%s: not a file with \"%s\" and %zu hex characters", path,
		       word, 2 * len);
}

static void add_hex(struct str *out, const unsigned char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		str_addf(out, "%02x", bytes[i]);
}

int sign_text(const char *text, const char *key_path, struct str *signature, struct str *public_key,
	      struct err *e)
{
	unsigned char secret[crypto_sign_SECRETKEYBYTES];
	unsigned char own[crypto_sign_PUBLICKEYBYTES];
	unsigned char raw[crypto_sign_BYTES];
	if (read_key(key_path, secret_word, secret, sizeof(secret), e) < 0)
		return -1;
	crypto_sign_detached(raw, NULL, (const unsigned char *)text, strlen(text), secret);
	crypto_sign_ed25519_sk_to_pk(own, secret);
	sodium_memzero(secret, sizeof(secret));
	add_hex(signature, raw, sizeof(raw));
	add_hex(public_key, own, sizeof(own));
	return 0;
}

int sign_load_public(const char *path, struct str *public_key, struct err *e)
{
	unsigned char raw[crypto_sign_PUBLICKEYBYTES];
	if (read_key(path, public_word, raw, sizeof(raw), e) < 0)
		return -1;
	add_hex(public_key, raw, sizeof(raw));
	return 0;
}

bool sign_holds(const char *text, const char *signature, const char *public_key)
{
	unsigned char raw[crypto_sign_BYTES];
	unsigned char key[crypto_sign_PUBLICKEYBYTES];
	return from_hex(signature, raw, sizeof(raw)) && from_hex(public_key, key, sizeof(key)) &&
	       crypto_sign_verify_detached(raw, (const unsigned char *)text, strlen(text), key) ==
		       0;
}
