# The campaign over stand-ins of forge and of the contest: it goes on where it was, tells what did not
# end and what was not released, and never runs what has ended again.
mkdir bin tasks_here
cat > bin/forge << 'END'
#!/bin/sh
case $1 in
new) mkdir -p "$3/best" && echo "$3" > "$3/best/chain.json" && : > "$3/events.jsonl" ;;
run)
	echo run >> "$2.runs"
	case $2 in
	*/broken) [ -e "$2.mended" ] || { echo "forge: error: the disk is full"; exit 1; } ;;
	*/slow) [ -e "$2.mended" ] || { sleep 30 & trap "kill $!; exit 1" INT TERM; wait; } ;;
	esac
	echo '{"type":"run_ended"}' >> "$2/events.jsonl"
	;;
status) echo 'best        1.50x' ;;
export)
	case $6$7 in *lost*) echo "forge: error: its log says something else" >&2; exit 1 ;; esac
	place=$5/cpu/model/$(basename "$7")
	mkdir -p "$place" && cp "$7/best/chain.json" "$place/" && echo "wrote $place"
	;;
kernels) echo "wrote $2/README.md" ;;
esac
END
cat > bin/tuner << 'END'
#!/bin/sh
echo "contest: $*"
while [ "$1" != -o ]; do shift; done
printf '# title\n\nfigures\n' > "$2"
END
chmod +x bin/forge bin/tuner
for name in good broken slow lost; do
	mkdir "tasks_here/$name" && : > "tasks_here/$name/task.toml"
done
campaign() {
	FORGE_BIN=$PWD/bin FORGE_BENCH=$PWD/bin "$CLI/../../bench/campaign" -d "$PWD/runs" -k "$PWD/kernels" -o "$PWD/page.md" "$@" 2>&1 |
		sed -E 's/^[0-9:]{8} //; s/, [0-9]+ cores, load [0-9.]+/, # cores, load #/; /is busy/d; s/; [0-9]+ s$/; # s/'
}
run_all() { campaign "$@" "$PWD"/tasks_here/good "$PWD"/tasks_here/broken "$PWD"/tasks_here/lost; }
t run_all
cat page.md | sed 's/load [0-9.]*/load #/'
: > runs/broken.mended
t run_all
wc -l < runs/good.runs
# Stopped: what it runs stops, too.
FORGE_BIN=$PWD/bin FORGE_BENCH=$PWD/bin "$CLI/../../bench/campaign" -n -d "$PWD/runs" -k "$PWD/kernels" "$PWD/tasks_here/slow" > stopped 2>&1 &
while ! [ -s runs/slow.runs ]; do sleep 0.05; done
kill -TERM $!
wait $!
echo "exit $?"
tail -n 1 stopped
: > runs/slow.mended
t campaign -n "$PWD/tasks_here/slow"
t campaign "$PWD/tasks_here/nothing"
