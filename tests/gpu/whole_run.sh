#!/bin/sh
# A whole run on a GPU host, from new to report, through the spool: a worker serves a folder, forge puts its
# jobs there, agents are recorded answers. Prints the end of the run and the first lines of its report.
#
#   tests/gpu/whole_run.sh TASK KERNEL...
#     TASK    a folder below tasks/gpu
#     KERNEL  of tests/gpu/run: the first is the structure's, the next that of the row after it
#   FORGE_BIN  the programs (build/bin); WORK  where everything is made (a new folder of /tmp, removed at the end)
#   SHAPES     another shapes.json; HOURS of the budget (0.2); ACCEPT what forge run --accept gets
#   KIT=1      the worker is the one that forge itself puts below the spool (README: kit/bin/forge-worker)
set -u
cd "$(dirname "$0")/../.." || exit 1
here=$PWD
bin=${FORGE_BIN:-$here/build/bin}
[ $# -ge 2 ] || { sed -n 2,12p tests/gpu/whole_run.sh; exit 64; }
name=$1
shift
work=${WORK:-$(mktemp -d /tmp/forge-whole-XXXXXX)}
worker=
stop() {
	[ -z "$worker" ] || kill "$worker" 2> /dev/null
	[ -n "${WORK:-}" ] || rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM

mkdir -p "$work/spool" || exit 1
cp -R "tasks/gpu/$name" "$work/task" || exit 1
[ -z "${SHAPES:-}" ] || cp "$SHAPES" "$work/task/shapes.json" || exit 1
sed -i "s/^teacher = .*/teacher = \"replay\"/; s/^student = .*/student = \"replay\"/; s/^hours = .*/hours = ${HOURS:-0.2}/
	s/^max_meta = .*/max_meta = 0/" "$work/task/task.toml"
# Kernels in Python: the same problem, whose entry is run.
case $1 in
*.py)
	sed -i 's/^language = "cuda"/language = "python"/; s/^entry = .*/entry = "run"/' "$work/task/task.toml"
	sed -i "s/^void $name(/void run(/" "$work/task/judge/judge.c"
	;;
esac
cp -R tests/gpu/run/replay "$work/task/replay"
# With one kernel the course ends with its structure.
[ $# -gt 1 ] || awk '/^\[\[milestone\]\]/ { nr++ } nr < 2' tests/gpu/run/replay/v1.toml > "$work/task/replay/v1.toml"
for kernel; do
	cp "tests/gpu/run/$kernel" "$work/task/replay/" || exit 1
	printf '{"type":"submit","source_file":"%s"}\n' "$kernel"
done > "$work/task/replay/student.jsonl"

cd "$work" || exit 1
export FK_DELIVERY=spool SPOOL_DIR="$work/spool"
served=$bin/forge-worker
[ -z "${KIT:-}" ] || served=$work/spool/kit/bin/forge-worker
# The shell stands for the worker until that is there.
(
	until [ -x "$served" ]; do sleep 0.2; done
	exec "$served" spool "$work/spool"
) > spool.log 2>&1 &
worker=$!
began=$(date +%s)
"$bin/forge" new --seed 11 --dir run task > new.log 2>&1 || { cat new.log; exit 1; }
"$bin/forge" run ${ACCEPT:+--accept "$ACCEPT"} run > run.log 2>&1
code=$?
tail -n 25 run.log
echo "whole run: exit $code, $(($(date +%s) - began)) s"
if [ -e run/report.md ]; then
	sed -n "1,${LINES_SHOWN:-40}p" run/report.md
else
	echo 'there is no report; the last lines of the spool:'
	tail -n 15 spool.log
fi
# 0: the goal was met, 2: it was not, and the run ended as it should.
[ $code = 0 ] || [ $code = 2 ]
