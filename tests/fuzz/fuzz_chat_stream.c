#include "fuzz.h"

/* Any bytes as the stream of a chat completion: read or refused, and the same in one piece as byte
 * by byte. */

#include "stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	return stream_check(reply_chat_take, data, len);
}

#ifndef FUZZ_NO_MAIN
static const char *const chat_words[] = { "data: ",
					  "\n\n",
					  "\r\n",
					  "\r",
					  ":",
					  "{\"choices\":[{\"delta\":{",
					  "\"content\":\"",
					  "\"tool_calls\":[{",
					  "\"index\":0",
					  "\"index\":-1",
					  "\"id\":\"a\"",
					  "\"function\":{\"name\":\"f\",\"arguments\":\"",
					  "\"arguments\":{}",
					  "\"finish_reason\":\"stop\"",
					  "\"usage\":{\"prompt_tokens\":9223372036854775807}",
					  "\"error\":{",
					  "[DONE]",
					  "\\ud800",
					  "\\u0000",
					  "\xEF\xBB\xBF",
					  "\xC3",
					  "null",
					  "}",
					  "]",
					  NULL };
#endif
FUZZ_MAIN(chat_words)
