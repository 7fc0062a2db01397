# Two kernels by hand.
# alone: kernels are timed
recorded_task task
t forge time -k 2 task task/reference/kernel.c task/replay/vector.c > out 2>&1
sed -E 's/[0-9.]+×? \[[^]]*\]/NUMBERS/g; s/\([^)]*\)//; s/^(  [a-z]+ +)[^N]*N.*/\1NUMBERS/' out
t forge time -k 2 task task/reference/kernel.c task/replay/wrong.c
forge time -k 2 --held-out --json task task/replay/vector.c task/replay/vector.c > out || echo "exit $?"
grep -oE '"shape":"[a-z]+"' out
grep -oE '"replicates":[0-9]+' out
