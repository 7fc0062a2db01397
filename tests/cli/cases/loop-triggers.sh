# The three ways in which the teacher comes back: a gate that can not be closed, a stall, an exhausted
# course. Its first revision keeps M0, the second changes it and opens a structure epoch.
fake_forge
fake_task task 's/^max_meta.*/max_meta = 3/' 's/^stall.*/stall = 3/'
course > task/replay/v1.toml << 'END'
M1
D1.1 needs=D0.1
M2
D2.1 needs=D0.1
D2.2 needs=D0.1
D2.3 needs=D0.1
D2.4 needs=D0.1
END
course > task/replay/v2.toml << 'END'
M1
D1.1 needs=D0.1 value=another_way
M2
D2.1 needs=D0.1
D2.2 needs=D0.1
D2.3 needs=D0.1
D2.4 needs=D0.1
END
course > task/replay/v3.toml << 'END'
D0.1 value=another_way
M1
D1.1 needs=D0.1 value=another_way
M2
D2.1 needs=D0.1
END
teacher v1.toml v2.toml v3.toml give_up
student 'FAKE speedup=1.5' 'FAKE speedup=0.5' 'FAKE speedup=1.6' 'FAKE speedup=1.5 a' 'FAKE speedup=1.5 b' \
	'FAKE speedup=1.5 c' 'FAKE speedup=1.7' 'FAKE speedup=1.8' 'FAKE reason=crashed'
forge new --dir run task > /dev/null
t forge run run
loop_log run
# What each version took over from the one before: all rows up to the earliest that changed.
grep '"type":"curriculum_published"' run/events.jsonl | while read -r line; do
	echo "$line" | grep -o '"path":"[^"]*"'
	echo "$line" | grep -oE '"fate":"[a-z_]*","id":"[D0-9.]*"'
done
ls run/digest run/curriculum
