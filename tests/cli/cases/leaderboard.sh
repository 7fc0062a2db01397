# A task of a leaderboard: the origin's reference is its judge, its tolerance is taken as stated, and its
# number is told beside forge's own. First what is refused, then by hand, then a run with recorded agents.
cp -R "$CLI/../../share/leaderboard" task
t forge check task | only 'ok|rtol'
t forge new --dry-run task | only '^plan|origin'

wrong() { # a sed script for task.toml
	rm -rf bad
	cp -R task bad
	sed -i "$1" bad/task.toml
	forge check --no-run bad 2>&1 | only error | head -n 1
}
wrong 's/^statistic = .*/statistic = "p95"/'
wrong 's/^across = .*/across = "median"/'
wrong 's/^operands = .*/operands = "l2-flushed"/'
wrong 's/^repeats = .*/repeats = 0/'
wrong 's/^rtol = .*/rtol = -1/'
wrong 's/^atol = .*/&\nrequired_matched_ratio = 0.99/'
wrong 's/^output = "y"/output = "x"/'
wrong '/^\[\[leaderboard.tol/,/^atol/d'
wrong '/^\[leaderboard.timing/,/^across/d'
wrong 's/^origin = .*//'
wrong 's/^\[target\]/[reference]\nrun = "reference\/window_mean.c"\n&/'
mkdir task/judge
echo '{}' > task/judge/tolerances.json
t forge check --no-run task | only error
rm -r task/judge
t forge evolve task
cat > window.h << 'END'
#include <stdint.h>
void window_mean(const float *x, float *y, int64_t n, int64_t w)
{
	double sum = 0;
	for (int64_t k = 0; k < w - 1; k++)
		sum += x[k];
	for (int64_t i = 0; i < n; i++) {
		sum += x[i + w - 1];
		y[i] = (float)(sum / (double)w) FACTOR;
		sum -= x[i];
	}
}
END
# Off by half of what the origin allows, which is hundreds of times the reference's own error; and by twice as much.
sed 's/ FACTOR//' window.h > right.c
sed 's/FACTOR/* 1.00005f/' window.h > loose.c
sed 's/FACTOR/* 1.0002f/' window.h > off.c
for kernel in right loose off; do
	forge judge task $kernel.c | grep -E '^  narrow +normal|^[a-z]*\.c:' | sed -E 's/worst at .[0-9]+./worst at [#]/; s/[0-9]+ of [0-9]+/#/g; s/1\.[6-9] times/1.x times/'
done

# The origin's judge may be a program of its own, too. One that its reference does not pass ends the run.
mkdir task/judge
cat > task/judge/judge.c << 'END'
#include <stdint.h>
void window_mean(const double *x, double *y, int64_t n, int64_t w)
{
	for (int64_t i = 0; i < n; i++) {
		y[i] = 0;
		for (int64_t k = w; k-- > 0;)
			y[i] += x[i + k] / (double)w;
	}
}
END
t forge check task | only 'ok:'
sed 's/^rtol = .*/rtol = 0/; s/^atol = .*/atol = 1e-12/' -i task/task.toml
t forge check task | only 'origin' | sed -E 's/y.[0-9]+./y[#]/'
rm -r task
# An allowance so wide that wrong answers pass: nothing is judged by it.
cp -R "$CLI/../../share/leaderboard" task
sed -i 's/^atol = .*/atol = 10/' task/task.toml
t forge check task | only 'lets wrong'

# A run.
rm -r task
cp -R "$CLI/../../share/leaderboard" task
sed -i 's/"tuner"/"replay"/; s/^hours = .*/hours = 0.5\nmax_meta = 0/' task/task.toml
mkdir task/replay
course > task/replay/v1.toml << 'END'
M1
D1.1 needs=D0.1
END
cp right.c task/replay/
echo '{"type":"curriculum","toml_file":"v1.toml"}' > task/replay/teacher.jsonl
echo '{"type":"submit","source_file":"right.c"}' > task/replay/student.jsonl
t forge new --dir run task
forge run run > out 2> err
echo "run: exit $?"
grep -E 'judge|^round|confirm|rule' out | sed -E 's/[0-9.]+×$/#×/'
ls run/check
tr -d ' \n' < run/check/tolerances.json | grep -oE '"atol":[^,]*|"rtol":[^,}]*' | sort | uniq -c
sed -n '/^# /,/^## /p' run/report.md | grep -E 'leaderboard|rule' | sed -E 's/[0-9.]+×/#×/g'
forge status --json run | tr -d ' \n' | grep -oE '"origin":\{"candidate_ns":[0-9.]+,"name":"[a-z]*board","reference_ns":[0-9.]+' | sed -E 's/[0-9.]+/#/g'
python3 - << 'END'
import json
o = json.load(open("run/best/evidence.json"))["origin"]
print(sorted(o), [s["shape"] for s in o["shapes"]], o["reference_ns"] > 0 and o["candidate_ns"] > 0)
END
forge judge run right.c | tail -n 1
