#include "cmd/cmd.h"

/* Ed25519 signatures of claims. The secret key is read from a file and never leaves this process.
 */

#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/sign.h"
#include "cmd/term.h"
#include "engine/verify.h"

int cmd_sign(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_new = false;
	const struct opt rows[] = {
		{ 0, "new-key", OPT_FLAG, NULL, "make KEY (secret) and KEY.pub first", &is_new },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	const char *key = rest.items[0];
	if (!is_new && rest.nr < 2)
		return err_set(e, ERR_USAGE,
			       "sign: which claim? name a run directory or its best/");
	if (is_new && sign_make_key(key, e) < 0)
		return -1;
	if (is_new)
		term_print("made %s, to be kept, and %s.pub, to be given away\n", key, key);
	if (rest.nr < 2)
		return 0;
	if (verify_sign(rest.items[1], key, e) < 0)
		return -1;
	term_print("%s: signed; 'forge verify --key %s.pub %s' checks it\n", rest.items[1], key,
		   rest.items[1]);
	return 0;
}
