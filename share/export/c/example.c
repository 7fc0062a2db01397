#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "forge_@ENTRY@.h"

static void *zeros(size_t bytes)
{
	bytes = (bytes + 63) / 64 * 64;
	return memset(aligned_alloc(64, bytes), 0, bytes);
}

int main(void)
{
@TENSORS@	int body = forge_@ENTRY@(@VALUES@);
	puts(body == FORGE_@ENTRY@_KERNEL ? "served by the kernel" : "not served by the kernel");
	return body < 0;
}
