# Rounds are screened; a milestone's rows share one decision. M1 ends with its newest kernel, M2 with the
# one that its screens put above the newest, M3 with one that its screen flattered and then the one
# below it, M4 with one that is wrong after all.
fake_forge
fake_task task 's/^max_meta.*/max_meta = 0/' 's/^ratio.*/ratio = 20.0/'
course > task/replay/v1.toml << 'END'
M1
D1.1 needs=D0.1
D1.2 needs=D1.1
M2
D2.1 needs=D1.2
D2.2 needs=D2.1
M3
D3.1 needs=D2.2
D3.2 needs=D3.1
M4
D4.1 needs=D3.2
D4.2 needs=D4.1
END
teacher v1.toml
student 'FAKE speedup=1.5' 'FAKE speedup=2' 'FAKE speedup=3' 'FAKE speedup=5' 'FAKE speedup=4' \
	'FAKE speedup=6' 'FAKE speedup=9 FAKE decided=5.5' 'FAKE speedup=7' 'FAKE speedup=8 FAKE decide=wrong_value'
forge new --dir run task > /dev/null
t forge run run
t forge status run
forge log --json run > out
grep -oE '"settled":\[[0-9,]+\]' out
