# A task without a judge and with a teacher that is shown nothing of the reference: what it writes is
# built, run and held against the reference by the real worker, and comes back with numbers.
recorded_task task 's/^source = true/blackbox = true/'
rm -r task/judge
sed -i '1i/* QZREFTEXT */' task/reference/kernel.c
sed -i 's/"held"/"qzheldout"/' task/shapes.json
cat > judge.c << 'END_OF_C'
#include <math.h>
#include <stdint.h>
void hypot_ratio(const double *x, const double *y, double *z, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		z[i] = hypot(x[i], y[i]) / (fabs(x[i]) + 1.0);
}
END_OF_C
sed 's/double \*z/double *none/' judge.c > task/replay/broken.c
sed 's/+ 1.0/+ 1.1/' judge.c > task/replay/wrong.c
cp judge.c task/replay/judge.c
authors() {
	for file; do
		echo "{\"type\":\"judge\",\"source_file\":\"$file\"}"
	done > task/replay/teacher.jsonl
	echo '{"type":"give_up","reason":"no course today"}' >> task/replay/teacher.jsonl
}
: > task/replay/student.jsonl
told() { # N: what the author is told in its turn N
	python3 - "$1" << 'END_OF_PYTHON'
import glob, json, sys
path = glob.glob("run/agents/*-teacher-judge-" + sys.argv[1] + ".jsonl")[0]
for line in open(path):
    row = json.loads(line)
    said = json.loads(row["line"]) if row["dir"] == "to" else {}
    if said.get("type") == "turn":
        print("\n".join(said["data"]["errors"]).strip() or "nothing")
END_OF_PYTHON
}
t forge check task | only 'judge'

authors broken.c wrong.c judge.c
forge new --dir run task > /dev/null
forge run run > out 2> err
echo "run: exit $?"
grep -E '^  judge|can not be used' out | cut -c 1-70
for turn in 1 2 3; do echo "turn $turn:" && told $turn | sed -E 's/(error )[0-9.e+-]+/\1#/; s/at \[[0-9]+\]/at [#]/; s/ \(first use.*//' | head -n 4; done
cmp run/check/judge.c judge.c && echo 'the third is frozen'
grep '^| judge' run/report.md
for marker in QZREFTEXT qzheldout; do
	grep -rlF $marker run/agents || echo "no agent was told $marker"
done

rm -rf run
authors wrong.c wrong.c wrong.c
forge new --dir run task > /dev/null
forge run run > out 2> err
echo "run: exit $?"
grep -o 'stage judge: the judge and the reference disagree' err
grep -oE 'case [a-z]+/[a-z]+, output z' err | head -n 1
grep -o 'three attempts failed' err
