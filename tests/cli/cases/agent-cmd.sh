# A shell script as the student: it submits a file in the first round, and prints its kernel as a code
# block in the second one.
cli_agent_task cmd '[agents.cmd]
command = ["myagent", "-x"]'
cat > agents/myagent << 'END'
#!/bin/sh
cat > prompt.txt
echo "$(grep -c 'forge submit FILE' prompt.txt) prompt, argument $1, $(ls -A | tr '\n' ' ')"
if [ ! -e "$HOME/was-here" ]; then
	touch "$HOME/was-here"
	forge turn | grep -q D0.1 && echo 'the row is there'
	echo 'FAKE speedup=1.5' > kernel.c
	forge submit kernel.c
else
	printf 'Here it is:\n```c\nFAKE speedup=2\n```\n'
fi
END
chmod +x agents/myagent
cli_agent_run
