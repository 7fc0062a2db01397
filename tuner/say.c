#include "tuner/say.h"

#include <stdarg.h>
#include <stddef.h>

#include "base/str.h"

void say_text(const struct say *say, const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	va_list ap;
	if (!say)
		return;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	say->text(say->ctx, text.text);
}
