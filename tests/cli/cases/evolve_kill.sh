# kill -9 in the middle of a chain, then the same command: the same generations, kernels and decisions.
# The worker is the fake one, so that what is measured is the same every time.
mkdir bin
cp "$FORGE_BIN/forge" bin/
cp "$CLI/../fake/fake-worker" bin/forge-worker
cp -R "$CLI/chain" task
# Marks stand where the fake worker reads what it "measures".
sed -i '1i/* FAKE speedup=2 */' task/replay/four.c
sed -i '1i/* FAKE speedup=4 */' task/replay-g1/once.c
result() {
	sed -E 's/"(wall|prev|where|digest|task_digest|seed|pid|mono_ns|seconds|job)":("[^"]*"|[0-9.e+-]+),?//g' "$1/chain.jsonl" |
		grep -E '"type":"(generation|direct|chain_ended)' | sed -E 's/"seq":[0-9]+//'
}
bin/forge evolve --dir whole task > whole.out 2>&1
echo "whole chain: exit $?"
result whole > whole.txt
grep -c '' whole.txt
at=0
for events in 2 4 6 8 9; do
	at=$((at + 1))
	bin/forge evolve --dir k$at task > k$at.out 2>&1 &
	pid=$!
	while [ -d "/proc/$pid" ] && [ "$(grep -c '' k$at/chain.jsonl 2> /dev/null || true)" -lt "$events" ] 2> /dev/null ||
		[ ! -e k$at/chain.jsonl ]; do
		sleep 0.02
	done
	kill -9 $pid 2> /dev/null
	wait $pid 2> /dev/null
	# A run that was being made when forge died; another one is made.
	[ $at = 1 ] && mkdir k1/runs/g1.new7
	bin/forge evolve k$at > k$at.again 2>&1
	echo "killed at $events or later, again: exit $?"
	result k$at > k$at.txt
	cmp whole.txt k$at.txt && echo 'the same result'
done
ls k1/runs
# Ctrl-C is said, and the same command goes on.
bin/forge evolve --dir c task > c.out 2>&1 &
pid=$!
while [ "$(grep -c '' c/chain.jsonl 2> /dev/null || echo 0)" -lt 3 ]; do sleep 0.02; done
kill -INT $pid
wait $pid
echo "interrupted: exit $?"
tail -n 1 c.out
bin/forge evolve c > c.again 2>&1
echo "again: exit $?"
result c > c.txt
cmp whole.txt c.txt && echo 'the same result'
