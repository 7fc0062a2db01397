# The embedded teacher and student in a whole run, measured by the fake worker: the judge refuses one
# row, another brings nothing. The teacher comes back, has a decision priced and an
# alternative judged, and writes the next version. No compiler takes the reference, so there is no lab
# and nothing depends on how fast anything is.
fake_forge
cp "$FORGE_BIN/forge-tuner" fakebin/
fake_task task 's/"replay"/"tuner"/' 's/^threads.*/threads = 2/' 's/^max_meta.*/max_meta = 2\nteacher_jobs = 8/'
sed -i '1i #include <only_the_fake_worker_knows_this.h>' task/reference/powers.c
cat >> task/reference/powers.c << 'END'
/*
 * FAKE row=specialise:1.3
 * FAKE row=-march=native:1.2
 * FAKE row=-ffast-math:wrong_value
 * FAKE row=-freciprocal-math:1.2
 */
END
forge new --dir run task > /dev/null
t forge run run 2>&1 | sed 's/\(nothing is measured in the workspace\).*/\1/'
loop_log run | sed -E 's/"speedup":[0-9.]+/"speedup":#/'
for version in run/curriculum/v*.toml; do
	echo "== ${version##*/}"
	grep -E '^(id|value|why) = "|^# |^version|^structure_epoch' "$version" | grep -B1 -A1 -E '^(value|#|v|s)'
done
cat run/agents/*-teacher-revision-*.jsonl | tr -d '\\' | grep '"type":"tool' |
	sed -E 's/"frame":"[^"]*",//; s/"(ratio|low|high|t)":[0-9.e-]+/"\1":#/g; s/FAKE row/a row/g; s/"source":".*","tool"/"source":"...","tool"/'
# What the student took out.
cat run/agents/*-student-ablation-*.jsonl | tr -d '\\' | grep '"type":"submit"' | only -o '[*]   D[0-9.]+ [a-z]+|"note":"[^"]*"'
