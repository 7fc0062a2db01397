#include "report/origin_text.h"

#include "base/json.h"
#include "base/str.h"
#include "report/text.h"

void origin_print(const json_t *origin, struct str *out)
{
	double reference_ns = json_real_or(origin, "reference_ns", 0);
	double kernel_ns = json_real_or(origin, "candidate_ns", 0);
	str_addf(out, "By the rule of %s (%s): reference ",
		 json_text_or(origin, "name", "the origin"), json_text_or(origin, "rule", ""));
	text_time(reference_ns, out);
	str_add(out, ", kernel ");
	text_time(kernel_ns, out);
	if (kernel_ns > 0) {
		str_add(out, ", ");
		text_ratio(reference_ns / kernel_ns, out);
	}
}
