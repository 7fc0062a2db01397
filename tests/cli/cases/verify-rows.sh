# Released kernels are drawn by a seed and measured again; which come true is told row by row.
fake_forge
one() { # NAME ANSWER [FIRST]
	fake_task "$1" 's/^max_meta.*/max_meta = 0/' "0,/^name/s/^name.*/name = \"$1\"/"
	course > "$1/replay/v1.toml" << 'END'
M1
D1.1 needs=D0.1
END
	teacher v1.toml
	student "${3:-FAKE speedup=1.2}" "$2"
	forge new --dir "run-$1" "$1" > /dev/null
	forge run "run-$1" > /dev/null 2>&1
	forge export --form kernels --to kernels "run-$1" > /dev/null
}
rows() {
	said=$(FORGE_BIN=$PWD/fakebin "$CLI/../../bench/verify" -k "$PWD/kernels" -w cpu "$@" 2>&1)
	code=$?
	printf '%s\n' "$said" | sed -E 's/(chain +)[0-9a-f]+/\1HEAD/'
	return $code
}
t rows -s 1
one first 'FAKE speedup=4'
one second 'FAKE speedup=4 FAKE hand=3'
one third 'FAKE speedup=2'
echo "# one that is slower today fails, and says all that verify said"
t rows -s 1 -n 0
echo "# the same seed draws the same, another one others"
for seed in 1 1 2 3; do
	rows -s $seed -n 1 | sed -n 's/:.*//; 2p'
done
t rows -n many
echo "# of a run without a kernel its outcome is kept, and not where it lay"
one fourth 'FAKE speedup=0.8' 'FAKE speedup=0.9'
cd kernels/cpu/fake-cpu/fourth || exit 1
ls
grep -c "forge time .*RUN/reference/kernel.c" report.md
grep -rl run-fourth . || echo "not told"
cd ../../../.. || exit 1
echo "# its report is the run's in all but the commands, however the run is named"
mv run-first run
forge report run > /dev/null
here=$PWD
for from in run "$here/run" .; do
	[ "$from" != . ] || cd run || exit 1
	forge export --form kernels --to "$here/as" "$from" > /dev/null
	diff "$here/run/report.md" "$here/as/cpu/fake-cpu/first/report.md" | grep '^>' | sed 's/-k [0-9]*/-k K/' | sort -u
	rm -rf "$here/as"
done
