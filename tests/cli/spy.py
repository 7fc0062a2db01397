#!/usr/bin/env python3
"""Print an agent (a shell script for forge-tuner's place) that answers with the recorded course and
kernels of a task, and tells of every marker that it can read: in what it is sent, in any process's
argv or environment, in any file of its sandbox. It tells numbers of markers, never their text, so
that what it says is no leak itself.

As a teacher it asks for what its tools tell of the reference, and looks at the answers.

usage: spy.py COURSE KERNEL... -- MARKER..."""
import json
import sys

split = sys.argv.index("--")
course, kernels, markers = sys.argv[1], sys.argv[2:split], sys.argv[split + 1:]


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def answer(obj):
    return quoted(json.dumps(obj))


print("#!/bin/sh")
print("say() { printf '%s\\n' \"$1\"; }")
# A marker stands here in two halves: the script lies in the sandbox itself.
print("marker() {\n\tcase $1 in")
for i, text in enumerate(markers, 1):
    print(f"\t{i}) printf '%s%s' {quoted(text[:len(text) // 2])} {quoted(text[len(text) // 2:])} ;;")
print("\tesac\n}")
print(f"nr_markers={len(markers)}")
print("""look() { # what was sent
	# A control: a scan that does not find this one finds nothing.
	echo planted > "$PWD/planted"
	grep -rlF -e planted /workspace 2> /dev/null | grep -q planted || return
	tr '\\0' '\\n' < /proc/$$/cmdline | grep -qF /agent/bin/agent || return
	k=0
	while [ $k -lt $nr_markers ]; do
		k=$((k + 1))
		m=$(marker $k)
		case $1 in *"$m"*) say "spy: marker $k was sent" ;; esac
		for f in /proc/[0-9]*/cmdline /proc/[0-9]*/environ; do
			tr '\\0' '\\n' < "$f" 2> /dev/null | grep -v '^grep' | grep -qF -e "$m" && say "spy: marker $k in $f"
		done
		for d in /*; do
			case $d in /usr | /lib* | /bin | /sbin | /proc | /sys | /dev | /agent) continue ;; esac
			grep -rlF -e "$m" "$d" 2> /dev/null | sed "s/^/spy: marker $k in /"
		done
	done
	say 'spy: looked everywhere'
}""")
print("""ask() { # tool and what its answer has in it
	say '{"type":"tool","id":1,"tool":'"$1"'}'
	IFS= read -r reply
	case $reply in *"$2"*) say 'spy: was told' ;; *) say "spy: was told nothing of $2" ;; esac
	look "$reply"
}""")
print("kernel() {\n\tcase $1 in")
for i, path in enumerate(kernels, 1):
    with open(path, encoding="utf-8") as f:
        print(f"\t{i}) say {answer({'type': 'submit', 'source': f.read()})} ;;")
print("\t*) say '{\"type\":\"give_up\",\"reason\":\"nothing left\"}' ;;\n\tesac\n}")
with open(course, encoding="utf-8") as f:
    toml = answer({"type": "curriculum", "toml": f.read()})
print("""while IFS= read -r line; do
	case $line in
	*'"type":"hello"'*) say '{"type":"ready","name":"spy","version":"1"}' ;;
	*'"type":"turn"'*)
		look "$line"
		id=$(printf '%s' "$line" | sed -nE 's/.*"id":([0-9]+),"kind":"[a-z]+","prompt".*/\\1/p')
		case $line in
		*'"kind":"curriculum"'*)
			ask '"disassemble"' '"listing":"f0:'
			ask '"run","shape":"even","inputs":{"x":{"kind":"constant","value":3},"y":{"kind":"constant","value":4}}' '"max":1.25'
			ask '"profile"' vector_bits
			ask '"time"' geomean_ns
			say """ + toml + """
			;;
		*'"kind":"round"'*) kernel "$id" ;;
		*) say '{"type":"give_up","reason":"not mine"}' ;;
		esac
		say '{"type":"done","usage":{"tokens":0,"usd":0}}'
		;;
	esac
done""")
