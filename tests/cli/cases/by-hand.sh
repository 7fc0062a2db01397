# A person plays both roles from a shell: looks at turns, publishes, submits, hands back, waits. forge is
# stopped in the middle and finds the answer that was written meanwhile. Only the mailbox is touched.
fake_forge
fake_task task 's/^teacher = .*/teacher = "manual"/' 's/^student = .*/student = "manual"/'
course > v1.toml << 'END'
M1
D1.1 needs=D0.1
D1.2 needs=D0.1
END
numbers() { sed -E 's/[0-9.]+ times/# times/; s/\[[0-9.]+, [0-9.]+\]/[#, #]/; s/=[0-9.e-]+$/=#/'; }
until_state() { # ROLE TURN STATE
	for i in $(seq 1 600); do
		[ -e "run/turn/$1/state.json" ] && tr -d ' \n' < "run/turn/$1/state.json" | grep -q "\"state\":\"$3\",\"turn\":$2}" && return
		sleep 0.1
	done
	echo "turn $2 of the $1 is not $3: $(cat "run/turn/$1/state.json")"
}
# A message as any program may write it.
message() { # ROLE ID JSON
	printf '%s' "$3" > "run/turn/$1/in/draft" && mv "run/turn/$1/in/draft" "run/turn/$1/in/$2.json"
	for i in $(seq 1 300); do [ -e "run/turn/$1/out/$2.json" ] && break; sleep 0.1; done
	tr -d '\n' < "run/turn/$1/out/$2.json" | sed -E 's/"frame": "[^"]*",//; s/ +/ /g'
	echo
}
start() {
	forge run run >> run.out 2>&1 &
	pid=$!
}

t forge turn
forge new --dir run task > /dev/null
t forge turn run
start
until_state teacher 1 open
t forge wait run
forge turn run | sed -n '1,3p'
forge turn run | sed -n '/^Tools/,$p' | cut -c 1-60
t forge submit run v1.toml
echo 'version = 1' > bad.toml
t forge publish run bad.toml
until_state teacher 2 open
forge turn --member errors run | head -c 60
echo
t forge publish --json run v1.toml

until_state student 1 open
t forge wait run
forge turn run | grep '^Data'
t forge turn --member base run
forge turn --member row run | grep -o '"id":"[^"]*"'
: > empty.c
t forge submit run empty.c
t forge submit --predicted vector_bits run v1.toml
t forge publish run v1.toml
message student 00000000000000a1 '{"type":"tool","tool":"build","source":"FAKE metric=256"}'
message student 00000000000000a2 '{"type":"tool","tool":"build","source":"FAKE reason=compile_failed"}'
message student 00000000000000a3 '{"type":"submit","source":7}'
message student 00000000000000a4 '{"type":"submit","turn":9,"source":"x"}'
echo 'FAKE speedup=1.5' > k.c
t forge submit --note 'four sums' --value 'as it is' --predicted vector_bits=128,spills=0 run k.c
until_state student 2 open
forge wait run | numbers
grep -o '"note":"four sums","predicted":{[^}]*},"round":1' run/events.jsonl

# Ctrl-C, an answer to nobody, and on again.
kill -INT $pid
wait $pid
echo "interrupted: $?"
forge log run | tail -n 1 | grep -o 'run_interrupted.*' | numbers
echo 'FAKE reason=wrong_value' > k2.c
t forge submit --timeout 0.3 run k2.c
start
until_state student 3 open
forge wait run
(cd run && FORGE_MAILBOX=turn/student forge turn | head -n 1)
mkdir box && ln -s ../run/turn/student box/.forge
(cd box && t forge yield 'the row is wrong')
until_state teacher 3 open
t forge yield run 'it pays'
until_state teacher 3 ended
wait $pid
echo "ended: $?"
forge wait run > end.out
echo "wait says $?"
numbers < end.out
t forge turn run
t forge yield run 'too late'
forge status run | only -o 'person # s|person [0-9.]+ [a-z]+' | sed 's/[0-9.]* [a-z]*$/TIME/'
grep -c '"type":"agent_turn"' run/events.jsonl
forge wait --json run | grep -oE '"(state|role|turn)":"?[a-z0-9]+'
grep -o '"waited_s"' run/events.jsonl | sort | uniq -c | sed 's/^ *//'

# A task without a judge: the teacher is asked for one, and told where it is off.
rm -rf run task/judge
forge new --dir run task > /dev/null
start
until_state teacher 1 open
forge turn run | sed -n '/^Tools/,$p' | cut -c 1-40
forge turn --json run | grep -o '"id":[0-9]*,"kind":"[a-z]*"'
echo 'FAKE misaligned' > judge.c
t forge publish run judge.c
until_state teacher 2 open
forge turn --member errors run
echo 'good' > judge.c
t forge publish run judge.c
until_state teacher 3 open
forge turn --json run | grep -o '"id":[0-9]*,"kind":"[a-z]*"'
t forge yield run 'no idea'
wait $pid
echo "ended: $?"
