#include "fuzz.h"

/* The same for the stream of the messages format. */

#include "stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	return stream_check(reply_messages_take, data, len);
}

#ifndef FUZZ_NO_MAIN
static const char *const messages_words[] = {
	"event: message_start\n",
	"data: {\"type\":\"message_start\",",
	"data: {\"type\":\"content_block_start\",",
	"data: {\"type\":\"content_block_delta\",",
	"\"index\":0",
	"\"index\":1000000",
	"\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\"}",
	"\"content_block\":{\"type\":\"text\",\"text\":\"\"}",
	"\"delta\":{\"partial_json\":\"{\"}",
	"\"delta\":{\"thinking\":\"a\"}",
	"\"delta\":{\"text\":\"a\"}",
	"\"delta\":{\"signature\":\"a\"}",
	"data: {\"type\":\"message_delta\",\"usage\":{",
	"data: {\"type\":\"message_stop\"}\n\n",
	"data: {\"type\":\"error\",\"error\":",
	"}\n\n",
	"null",
	"\\udfff",
	NULL
};
#endif
FUZZ_MAIN(messages_words)
