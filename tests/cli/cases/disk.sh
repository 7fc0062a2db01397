# A disk that is full, at many places of a run, and a folder that can not be written: an error that says
# so, nothing lost, and the same end once there is room again.
for how in 'unshare -m' 'unshare -rm'; do
	$how sh -c 'mount -t tmpfs -o size=1m tmpfs . && mount --bind . . && mount -o remount,bind,ro .' 2> /dev/null && within=$how && break
done
if [ -z "${within:-}" ]; then
	echo 'skip: no mount namespace and no tmpfs of its own here'
	exit 0
fi
use_fake_worker
recorded_task task
fake_student task 'FAKE speedup=2' 'FAKE reason=wrong_value' 'FAKE speedup=3'
cat > inside.sh << 'END'
outcome() { forge log --json "$1" | grep -oE '"(fate|reason|confirmed|goal_met)":[a-z_"]+' | sort | uniq -c; }
# Leave so many KiB of the disk, or all of them.
leave() {
	rm -f disk/ballast
	[ "$1" = all ] || head -c $((($(df -k --output=avail disk | tail -n 1) - $1) * 1024)) /dev/zero > disk/ballast
}
used() { du -sk disk | cut -f 1; }
mkdir disk
mount -t tmpfs -o size=32m tmpfs disk
forge new --seed 5 --dir disk/run task > /dev/null
first=$(used)
forge run disk/run > /dev/null 2>&1
outcome disk/run > want
last=$(used)
for share in 0 20 50 70 90; do
	rm -rf disk/run
	forge new --seed 5 --dir disk/run task > /dev/null
	leave $(((last - first) * share / 100 + 4))
	forge run disk/run > out 2>&1
	code=$?
	grep -q 'No space left on device' out && echo "room for $share of 100: exit $code, no space left"
	grep -o "what was recorded is kept.*" out
	grep -qE '"type":"(job_failed|warning)"' disk/run/events.jsonl && echo 'a job has failed'
	forge status disk/run > /dev/null || echo 'the run can not be read'
	leave all
	forge run disk/run > out 2>&1 || [ $? = 2 ] || cat out
	outcome disk/run > got
	cmp want got && echo 'once there is room: the same outcome'
done
# The real worker: on a full disk nothing compiles, and no candidate is blamed for it.
until_event() { # EVENT
	"$FORGE_BIN/forge" run disk/real > real.log 2>&1 &
	pid=$!
	until grep -qF "$1" disk/real/events.jsonl || [ ! -d /proc/$pid ]; do sleep 0.02; done
	kill -9 $pid 2> /dev/null
	wait $pid 2> /dev/null
}
recorded_task real_task
"$FORGE_BIN/forge" new --seed 5 --dir disk/real real_task > /dev/null
until_event '"type":"round_started"'
leave 80
"$FORGE_BIN/forge" run disk/real > out 2>&1
echo "the real worker: exit $?"
grep -oE 'No space left on device|what was recorded is kept' out | sort -u
grep -qE '"type":"(verdict_given|job_failed)"|ended without' disk/real/events.jsonl && echo 'a candidate was blamed'
leave all
until_event '"type":"verdict_given"'
grep '"type":"verdict_given"' disk/real/events.jsonl | grep -o '"reason":"[a-z_]*"'

forge new --seed 5 --dir disk/new task > /dev/null
mount --bind disk disk
mount -o remount,bind,ro disk
t forge run disk/new
t forge run disk/run
t forge new --dir disk/other task 2>&1 | sed -E "s/other.new[0-9]+/other.newPID/"
t forge status disk/run | only '^state'
t forge log disk/run | only run_ended | sed -E 's:^ *[0-9]+::'
t forge report disk/run 2>&1 | sed -E "s/tmp[0-9]+/tmpPID/"
mount -o remount,bind,rw disk
forge run disk/new > /dev/null
outcome disk/new > got
cmp want got && echo 'once it can be written: the same outcome'
umount disk disk
# A limit on the size of files is an error, too, and no kill.
forge new --seed 5 --dir small task > /dev/null
(ulimit -f 16; forge run small) 2>&1 | grep -o 'File too large'
forge run small > /dev/null 2>&1
outcome small > got
cmp want got && echo 'without a limit: the same outcome'
END
$within sh -c '. "$CLI/lib.sh"; . ./inside.sh'
