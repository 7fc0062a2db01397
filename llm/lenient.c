#include "llm/lenient.h"

/* Most text is as it should be, so it is mended only when it was refused. */

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

json_t *lenient_json(const char *text, size_t len, struct err *e)
{
	json_error_t why;
	json_t *json = json_loadb(text, len, JSON_DECODE_ANY, &why);
	if (json)
		return json;
	AUTO_STR struct str mended = STR_INIT;
	json_mend(&mended, text, len, false);
	json = json_loadb(mended.text, mended.len, JSON_DECODE_ANY, NULL);
	if (!json)
		err_set(e, ERR_INPUT, "line %d column %d (byte %d): %s", why.line, why.column,
			why.position, why.text);
	return json;
}
