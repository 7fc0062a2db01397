/* What stands before the kernel in the library: who may serve a call. Made by forge @VERSION@. */
#include "forge_@ENTRY@.h"

@OMP_INCLUDE@
void forge_@ENTRY@_kernel(@PARAMS@);
@REFERENCE_DECL@
enum { ALIGN = 64, THREADS = @THREADS@ };

static int is_aligned(const void *at)
{
	return (uintptr_t)at % ALIGN == 0;
}

int forge_@ENTRY@_is_supported(void)
{
	return @KERNEL_NEEDS@;
}

int forge_@ENTRY@_is_judged(@SCALAR_PARAMS@)
{
@JUDGED@	return 0;
}

@TEAM@
int forge_@ENTRY@(@PARAMS@)
{
	if (@MISALIGNED@)
		return FORGE_@ENTRY@_MISALIGNED;
	if (forge_@ENTRY@_is_supported() && has_team() && forge_@ENTRY@_is_judged(@SCALAR_NAMES@)) {
		const struct team before = team_set();
		forge_@ENTRY@_kernel(@NAMES@);
		team_reset(&before);
		return FORGE_@ENTRY@_KERNEL;
	}
@REFERENCE_CALL@	return FORGE_@ENTRY@_REFUSED;
}
