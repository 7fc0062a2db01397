# A run that finds nothing ends with 2; it is shown live on a terminal; Ctrl-C leaves it resumable.
# A run whose judge and reference disagree is an error.
recorded_task wrong
sed -i 's/+ 1.0/+ 1.1/' wrong/judge/judge.c
NO_COLOR=1 script -qec 'forge run wrong' plain.out > /dev/null
echo "judge and reference disagree: $?"
grep -q "$(printf '\033\\[[0-9;]*m')" plain.out || echo 'NO_COLOR: without colours'
grep -o 'stage 2/7 judge' plain.out
grep -o 'stage judge: the judge and the reference disagree' plain.out
recorded_task task
: > task/replay/student.jsonl
t forge new --dir run task
forge run run > interrupted.out 2>&1 &
pid=$!
until grep -q '"stage":"reference"' run/events.jsonl; do sleep 0.1; done
# One forge at a time.
t forge run run
kill -INT $pid
wait $pid
echo "interrupted: $?"
tail -n 1 interrupted.out
t forge status run | only '^state'
# Changing what is frozen is refused.
cp -R run changed
echo >> changed/task/description.md
t forge run changed
script -qec 'forge run run' tty.out > /dev/null
echo "on a terminal: $?"
grep -q "$(printf '\r.*\033\\[K')" tty.out && echo 'one line is drawn anew'
grep -q "$(printf '\033\\[2m')" tty.out && echo 'with colours'
t forge run run
t forge run --json run
t forge report run
grep -E '^\*\*|^Goal' run/report.md
t sh -c 'ls run/best'
# A task in place of a run makes the run itself.
t forge run task | only 'made run|ended'
