# Every result of every part of a gate, with the jobs it rests on.
fake_forge
fake_task task 's/^max_meta.*/max_meta = 0/'
course > task/replay/v1.toml << 'END'
M1
D1.1 needs=D0.1 metric=vector_bits:up:to=256
M2
D2.1 needs=D0.1
M3
D3.1 needs=D0.1 metric=vector_bits:up:at_least=2
M4
D4.1 needs=D0.1 metric=spill_loads:down:by_pct=50
M5
D5.1 needs=D0.1 metric=vector_bits:up
M6
D6.1 needs=D5.1
M7
D7.1 needs=D0.1
M8
D8.1 needs=D0.1
END
forge check --curriculum task/replay/v1.toml task | only "error|ok"
teacher v1.toml
student 'FAKE speedup=1.5' 'FAKE speedup=2 FAKE metric=256' 'FAKE speedup=0.5' 'FAKE speedup=0.5 again' \
	'FAKE speedup=0.5 once more' 'FAKE reason=wrong_value' 'FAKE error=broken' 'FAKE speedup=2.9 FAKE fails_in=decide'
forge new --dir run task > /dev/null
t forge run run
loop_log run
