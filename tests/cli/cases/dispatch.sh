# Kernels of a run that win at different sizes go behind one entry; the round of that kernel is judged,
# screened, decided and confirmed like any other. What forge wrote is then built and judged for real.
real=$PATH
fake_forge

# The kernel $1 of the recorded task as $2, with a directive and the fake worker's markers.
marked() {
	{ echo "/* forge-build: $3 */ /* FAKE $4 */"; sed '/forge-build/d' "task/replay/$1"; } > "task/replay/$2"
	echo "{\"type\":\"submit\",\"source_file\":\"$2\"}" >> task/replay/student.jsonl
}

# A run $1 of which round 2 wins at one shape and round 3 at the other, built by $2 and $3.
run_of() {
	rm -rf task
	fake_task task 's/^max_meta.*/max_meta = 0/' 's/^ratio = .*/ratio = 3.0/'
	printf 'M1\nD1.1 needs=D0.1\nD1.2 needs=D1.1\n' | course > task/replay/v1.toml
	teacher v1.toml
	marked running.c first.c "$2" 'speedup=1.2'
	marked running.c second.c "$2" "at_short=4 FAKE at_odd=1.5 FAKE at_held=$4"
	marked wide.c third.c "$3" 'at_short=1.2 FAKE at_odd=3 FAKE at_held=1.1'
	forge new --dir "$1" task > /dev/null
}

run_of run 'gcc -O3' 'gcc -O3' 3.3
t forge run run
stage_log run confirm report
t forge status run
forge status --json run | grep -oE '"(kind|is_offered|lost)":("[a-z]*"|true|\[[^]]*\])|"parts":.*\}\],"round":[0-9]+'
grep -A 1 'Dispatch kernel' run/report.md
sed -n '/^void powers/,$p' run/best/kernel.c
echo "--- built and judged for real"
PATH=$real
t forge judge task run/best/kernel.c
PATH=$PWD/fakebin:$PATH

echo "--- where their builds differ there is none"
run_of differ 'gcc -O3' 'clang -O2' 3.3
forge run differ | only dispatch
only 'Dispatch kernel' differ/report.md
forge status differ | only '^dispatch'

echo "--- a dispatch kernel that loses at a size nobody saw is not confirmed"
run_of loses 'gcc -O3' 'gcc -O3' 0.8
t forge run loses
grep -oE '"lost":[^]]*\]' loses/events.jsonl
