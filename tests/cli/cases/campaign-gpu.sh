# The campaign on a GPU over stand-ins of forge and of its worker: what is named runs beside each other with a
# worker each, a record for generations is a chain, it goes on where it was and never runs what has ended again.
mkdir -p bin tasks_here/good tasks_here/broken
cat > bin/forge << 'END'
#!/bin/sh
last() { for word; do :; done; echo "$word"; }
run=$(last "$@")
case $1 in
new) mkdir -p "$3/best" && echo "$3" > "$3/best/chain.json" && cp "$4/task.toml" "$3/" && (cd "$4" && ls . replay) > "$3.task" ;;
run)
	echo "$FK_DELIVERY ${SPOOL_DIR##*/campaign-gpu/}" >> "$run.runs"
	case $run in
	*/broken/*) [ -e "$run.mended" ] || { echo "forge: error: the disk is full"; exit 1; } ;;
	*/good.slow/*) [ -e "$run.mended" ] || { sleep 30 & trap "kill $!; exit 1" INT TERM; wait; } ;;
	esac
	echo '{"type":"run_ended"}' >> "$run/events.jsonl"
	printf '| shape | best |\n|---|---|\n| small | 2 us |\n\nmore\n' > "$run/report.md"
	;;
evolve) mkdir -p "$3" && echo '{"type":"chain_ended"}' >> "$3/chain.jsonl" && echo "the chain ended" ;;
status) echo 'best        1.50x' ;;
export)
	while [ "$1" != --to ]; do shift; done
	place=$2/device/model/good
	mkdir -p "$place" && cp "$run/best/chain.json" "$place/" && echo "wrote $place"
	;;
kernels) echo "wrote $2/README.md" ;;
esac
END
cat > bin/forge-worker << 'END'
#!/bin/sh
echo "$$" > "$2/pid"
sleep 60 & trap "kill $!; exit 0" INT TERM; wait
END
chmod +x bin/forge bin/forge-worker
for task in good broken; do
	printf '[agents]\nteacher = "manual"\nstudent = "manual"\n[budget]\nmax_meta = 2\n' > "tasks_here/$task/task.toml"
done
for name in good good.slow good.chain broken; do
	mkdir -p "answers/$name/replay" && : > "answers/$name/replay/$name.cu"
done
mkdir answers/good.chain/replay-g1
echo other > answers/broken/shapes.json
campaign() {
	FORGE_BIN=$PWD/bin FORGE_TASKS=$PWD/tasks_here "$CLI/../../bench/campaign-gpu" -d "$PWD/runs" -k "$PWD/kernels" -a "$PWD/answers" -o "$PWD/page.md" "$@" 2>&1 |
		sed -E 's/^[0-9:]{8} //; s/, [0-9]+ cores/, # cores/; s/, [0-9]+ s$/, # s/'
}
t campaign good broken good.chain
cat page.md
cat runs/broken/run.task
cat runs/good/run/task.toml
cat runs/good/run.runs runs/broken/run.runs
: > runs/broken/run.mended
t campaign good broken good.chain
cat runs/good/run.runs
# No worker is left.
for pid in runs/*/spool/pid; do
	! kill -0 "$(cat "$pid")" 2> /dev/null || echo "$pid is still there"
done
# Stopped: what it runs stops, too.
FORGE_BIN=$PWD/bin FORGE_TASKS=$PWD/tasks_here "$CLI/../../bench/campaign-gpu" -d "$PWD/runs" -k none -a "$PWD/answers" -o "$PWD/page.md" good.slow > stopped 2>&1 &
campaign=$!
for look in $(seq 200); do
	if [ -s runs/good.slow/run.runs ] && [ -s runs/good.slow/spool/pid ]; then break; fi
	sleep 0.05
done
[ "$look" -lt 200 ] || echo "it never began"
kill -TERM $campaign
wait $campaign
echo "exit $?"
tail -n 1 stopped
! kill -0 "$(cat runs/good.slow/spool/pid)" 2> /dev/null || echo "its worker is still there"
t campaign nothing
t campaign -m x
