# Facts differ from machine to machine; the questions do not.
forge doctor --no-run > out || echo "exit $?"
grep -E '^[a-z]' out
grep -c 'seccomp filter' out
forge doctor --no-run --json > out || echo "exit $?"
grep -oE '"(counters|forge|gpu|machine|noise|programs|sandbox|version)":' out | sort | uniq -c | sed -E 's/^ +//'
