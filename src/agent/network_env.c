#include "agent/network_env.h"

/* Both cases of the names are in use, and not every program reads both. */

#include <stdlib.h>
#include <string.h>

#include "agent/key.h"
#include "base/file.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/str.h"

static const char *const hosts[] = { "NO_PROXY", "no_proxy" };
static const char *const certificates[] = { "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
					    "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS" };
/* Shown to every agent (agent_box.c). */
static const char *const shown[] = { "/usr/", "/lib/", "/etc/ssl/certs", "/etc/pki/tls/certs" };

static bool is_among(const char *const *names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (str_equal(names[i], name))
			return true;
	return false;
}

static size_t nr_proxies(void)
{
	size_t nr = 0;
	while (mask_proxy_names[nr])
		nr++;
	return nr;
}

bool network_env_has(const char *name)
{
	return is_among(mask_proxy_names, nr_proxies(), name) ||
	       is_among(hosts, ARRAY_LEN(hosts), name) ||
	       is_among(certificates, ARRAY_LEN(certificates), name);
}

static bool is_set(const struct strv *env, const char *name)
{
	size_t len = strlen(name);
	for (size_t i = 0; i < env->nr; i++)
		if (strncmp(env->items[i], name, len) == 0 && env->items[i][len] == '=')
			return true;
	return false;
}

static void add(struct strv *env, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		AUTO_FREE char *value = is_set(env, names[i]) ? NULL : key_peek(names[i]);
		if (value && value[0])
			strv_addf(env, "%s=%s", names[i], value);
	}
}

void network_env_add(struct strv *env)
{
	add(env, mask_proxy_names, nr_proxies());
	add(env, hosts, ARRAY_LEN(hosts));
	add(env, certificates, ARRAY_LEN(certificates));
}

static bool is_of_system(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(shown); i++)
		if (str_starts(path, shown[i]))
			return true;
	return false;
}

void network_env_paths(struct strv *paths)
{
	for (size_t i = 0; i < ARRAY_LEN(certificates); i++) {
		AUTO_FREE char *value = key_peek(certificates[i]);
		AUTO_STRV struct strv parts = { 0 };
		strv_split(&parts, value ? value : "", ":");
		for (size_t p = 0; p < parts.nr; p++)
			if (parts.items[p][0] == '/' && !is_of_system(parts.items[p]) &&
			    file_exists(parts.items[p]) && !strv_has(paths, parts.items[p]))
				strv_add(paths, parts.items[p]);
	}
}

void network_env_learn(struct mask *m)
{
	for (size_t i = 0; mask_proxy_names[i]; i++) {
		AUTO_FREE char *value = key_peek(mask_proxy_names[i]);
		mask_learn_proxy(m, value);
	}
}
