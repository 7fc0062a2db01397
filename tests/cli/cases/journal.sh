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
cp -R plain changed
sed -i '9s/"v":1/"v":1 /' changed/events.jsonl
cp changed/events.jsonl before
t forge run changed
cmp before changed/events.jsonl && echo 'nothing was changed'
