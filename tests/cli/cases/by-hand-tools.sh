# A teacher by hand has something measured in the middle of its turn, and the student that is asked for it
# is played by hand, too: two turns are open at once, and forge is stopped within the inner one.
fake_forge
fake_task task 's/^teacher = .*/teacher = "manual"/' 's/^student = .*/student = "manual"/' 's/^stall.*/stall = 1/'
course > v1.toml << 'END'
M1
D1.1 needs=D0.1
D1.2 needs=D0.1
END
until_open() { # ROLE TURN
	for i in $(seq 1 600); do
		[ -e "run/turn/$1/state.json" ] && tr -d ' \n' < "run/turn/$1/state.json" | grep -q "\"state\":\"open\",\"turn\":$2}" && return
		sleep 0.1
	done
	echo "turn $2 of the $1 is not open"
}
start() {
	forge run run >> run.out 2>&1 &
	pid=$!
}
ask() { # ID JSON: a message to which nobody waits
	printf '%s' "$2" > run/turn/teacher/in/draft && mv run/turn/teacher/in/draft "run/turn/teacher/in/$1.json"
}

forge new --dir run task > /dev/null
start
until_open teacher 1
forge publish run v1.toml > /dev/null
for speedup in 1.5 2 1.9; do
	nr=$((${nr:-0} + 1))
	until_open student $nr
	echo "FAKE speedup=$speedup" > k.c
	forge submit run k.c > /dev/null
done
until_open teacher 2
ask 00000000000000aa '{"type":"tool","tool":"ablate","decision":"D1.1","how":"drop"}'
until_open student 4
forge turn run | head -n 1
forge turn --role teacher run | head -n 1
kill -INT $pid
wait $pid
echo "interrupted: $?"
# The call waits in the mailbox, and so do both turns.
start
until_open student 4
echo 'FAKE speedup=1.6 without' > k.c
until forge submit run k.c > said 2>&1; do
	grep -q 'no turn is open' said || cat said
	sleep 0.1
done
cat said
for i in $(seq 1 600); do [ -e run/turn/teacher/out/00000000000000aa.json ] && break; sleep 0.1; done
tr -d ' \n' < run/turn/teacher/out/00000000000000aa.json | grep -oE '"(outcome|left|call)":"?[a-z0-9]*'
t forge yield run enough
wait $pid
echo "ended: $?"
only ablate run.out
