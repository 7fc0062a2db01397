# A journal that was torn, cut or changed, and one whose last event never reached the disk: the run ends
# with the same verdicts and promotions, or says which line is wrong and changes nothing.
use_fake_worker
recorded_task task
fake_student task 'FAKE speedup=2' 'FAKE reason=wrong_value' 'FAKE speedup=3'
outcome() { forge log --json "$1" | grep -oE '"(fate|reason|confirmed|goal_met)":[a-z_"]+' | sort | uniq -c; }
forge new --seed 5 --dir plain task > /dev/null
forge run plain > /dev/null
outcome plain > want
nr=$(grep -c '' plain/events.jsonl)
for share in 25 60 90; do
	cp -R plain cut
	head -n $((nr * share / 100)) plain/events.jsonl > cut/events.jsonl
	[ $share = 60 ] && printf '{"body":{"torn' >> cut/events.jsonl
	forge run cut > /dev/null
	outcome cut > got
	cmp want got && echo "cut at $share %: the same outcome"
	rm -rf cut
done
# A byte that was changed names its line; with the lines before it the run goes on.
cp -R plain changed
sed -i '9s/"v":1/"v":1 /' changed/events.jsonl
cp changed/events.jsonl before
t forge run changed
t forge status changed
cmp before changed/events.jsonl && echo 'nothing was changed'
head -n 8 before > changed/events.jsonl
forge run changed > /dev/null
outcome changed > got
cmp want got && echo 'the first 8 lines: the same outcome'
cp -R plain changed1
sed -i '1s/"seed"/"Seed"/' changed1/events.jsonl
t forge run changed1
# A torn last line is passed over by those who read, and cut by whoever goes on, who says so.
cp -R plain torn
head -n 30 plain/events.jsonl > torn/events.jsonl
printf '{"body":{"torn' >> torn/events.jsonl
t forge status torn | only '^state'
forge run torn > /dev/null
t forge log torn | only log_repaired
# The crash point of the tests: said when it is set, refused when it can not be read, a kill when it comes.
cp -R plain point
head -n 30 plain/events.jsonl > point/events.jsonl
t env FORGE_CRASH_AT=31:after forge run point
grep -c '' point/events.jsonl
env FORGE_CRASH_AT=events.jsonl:33:torn forge run point > out 2>&1
echo "exit $?"
only '^forge: warning' < out
tail -n 1 point/events.jsonl | grep -c '"prev"'
t env FORGE_CRASH_AT=events.jsonl:1000:after forge run point | only FORGE_CRASH_AT
outcome point > got
cmp want got && echo 'after the crash point: the same outcome'

# Clocks that jump: an earlier session in the far future and on another boot, then one in the past. Neither
# time that went by nor a jump is spent.
rechain() { # SED < LOG: lines changed by SED, and the hashes made anew
	prev=
	sed -E "$1" | while IFS= read -r line; do
		line=$(printf '%s' "$line" | sed -E "s/\"prev\":\"[0-9a-f]*\"/\"prev\":\"$prev\"/")
		printf '%s\n' "$line"
		prev=$(printf '%s' "$line" | sha256sum | cut -c1-64)
	done
}
spent() { forge status --json "$1" | grep -oE '"elapsed_s":[0-9]+'; }
for jump in 's/"wall":"20/"wall":"21/; s/"mono_ns":/"mono_ns":7/' 's/"wall":"20/"wall":"19/; s/"mono_ns":([0-9]+)[0-9]{3},/"mono_ns":\1,/'; do
	cp -R plain jumped
	head -n $((nr * 60 / 100)) plain/events.jsonl | rechain "$jump" > jumped/events.jsonl
	forge run jumped > /dev/null
	echo "exit $?"
	outcome jumped > got
	cmp want got && echo 'a jump of the clocks: the same outcome'
	[ "$(spent jumped | tr -dc 0-9)" -lt 600 ] && echo 'no time was spent by it'
	t forge report jumped > /dev/null
	rm -rf jumped
done
