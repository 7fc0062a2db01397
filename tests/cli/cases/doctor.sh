# Facts differ from machine to machine; the questions do not.
forge doctor --no-run > out || echo "exit $?"
grep -E '^[a-z]' out
grep -c 'seccomp filter' out
forge doctor --no-run --json > out || echo "exit $?"
grep -oE '"(counters|forge|gpu|machine|noise|programs|sandbox|version)":' out | sort | uniq -c | sed -E 's/^ +//'
echo "# without a run no host is asked either: nobody serves this spool"
(unset FORGE_KB; FK_DELIVERY=spool SPOOL_DIR=spool timeout 60 forge doctor --no-run > out || echo "exit $?")
sed -n '/^knowledge base/,$p' out | sed -E 's/[0-9]+;/#;/'
ls
