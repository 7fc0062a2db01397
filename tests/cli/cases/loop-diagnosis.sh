# Why the student falls short, class by class: each is read off one campaign's trajectory.
fake_forge

# What the run recorded about it, and what the teacher was shown.
findings() {
	forge new --dir "run-$name" "$name" > /dev/null
	forge run "run-$name" > out 2>&1
	echo "== $name: exit $?"
	loop_log "run-$name"
	for digest in "run-$name"/digest/*.json; do
		[ ! -e "$digest" ] || tr -d '\n ' < "$digest" | only -o '"diagnosis":\[[^]]*(\][^]]*)*\],"gates"'
	done
}

# Correct, not faster, as predicted: nothing in the course accounts for what is missing.
fake_task missing
echo M1 | cat - > rows
echo 'D1.1 needs=D0.1 metric=vector_bits:up:to=256' >> rows
course < rows > missing/replay/v1.toml
teacher v1.toml
student 'FAKE speedup=1.5' 'FAKE speedup=1.6 FAKE metric=256'
findings

# The metric moved and the time got worse; a row that was handed back.
fake_task wrong
echo 'D1.2 needs=D0.1' >> rows
course < rows > wrong/replay/v1.toml
teacher v1.toml
student 'FAKE speedup=1.5' 'FAKE speedup=0.5 FAKE metric=256' handback
findings

# What a row builds on failed; and a row that did well on another base.
fake_task misordered
cat > rows << 'END'
M1
D1.1 needs=D0.1
D1.2 needs=D1.1
END
course < rows > misordered/replay/v1.toml
teacher v1.toml
student 'FAKE speedup=1.5' 'FAKE reason=crashed'
findings
fake_task order 's/^stall.*/stall = 2/'
cat > rows << 'END'
M1
D1.1 needs=D0.1
D1.2 needs=D0.1
D1.3 needs=D0.1
D1.4 needs=D0.1
END
course < rows > order/replay/v1.toml
sed 's/^D1.1.*/& value=another_way/' rows | course > order/replay/v2.toml
teacher v1.toml v2.toml
student 'FAKE speedup=1.5' 'FAKE speedup=1.4 one' 'FAKE speedup=1.4 two' \
	'FAKE speedup=1.6 three' 'FAKE speedup=0.5 four' 'FAKE speedup=0.5 five' 'FAKE speedup=0.5 six'
findings

# The same row failed in two rounds; a group lost a row after another of its rows was done.
fake_task coarse 's/^stall.*/stall = 1/'
cat > rows << 'END'
M1
D1.1 needs=D0.1
D1.2 needs=D0.1
END
course < rows > coarse/replay/v1.toml
sed '1i D0.1 value=another_way' rows | course > coarse/replay/v2.toml
teacher v1.toml v2.toml
student 'FAKE speedup=1.5' 'FAKE reason=crashed one' 'FAKE speedup=1.6' 'FAKE reason=crashed two' 'FAKE speedup=1.7'
findings
fake_task group
cat > rows << 'END'
M1
D1.1 needs=D0.1 atomic=pair
D1.2 needs=D1.1 atomic=pair
END
course < rows > group/replay/v1.toml
teacher v1.toml
student 'FAKE speedup=1.5' 'FAKE speedup=1.4' 'FAKE reason=wrong_value'
findings

# Correct, but the metric stayed where it was; wrong; nothing submitted.
fake_task not_as_asked
cat > rows << 'END'
M1
D1.1 needs=D0.1 metric=vector_bits:up:to=256
D1.2 needs=D0.1
D1.3 needs=D0.1
END
course < rows > not_as_asked/replay/v1.toml
teacher v1.toml
student 'FAKE speedup=1.5' 'FAKE speedup=1.6' 'FAKE reason=wrong_value' give_up
findings

# Done as asked, not slower than before, but far from what the row predicts, or from the reference.
fake_task slow
cat > rows << 'END'
M1
D1.1 needs=D0.1 metric=vector_bits:up:to=256 predicts=2.5
D1.2 needs=D0.1
END
course < rows > slow/replay/v1.toml
teacher v1.toml
student 'FAKE speedup=0.7' 'FAKE speedup=0.8 FAKE metric=256' 'FAKE speedup=0.9'
findings

# A job failed; the profile does not know the metric.
fake_task unmeasured
cat > rows << 'END'
M1
D1.1 needs=D0.1
D1.2 needs=D0.1 metric=spill_loads:down:by_pct=50
END
course < rows > unmeasured/replay/v1.toml
teacher v1.toml
student 'FAKE speedup=1.5' 'FAKE error=broken' 'FAKE speedup=1.6'
findings
