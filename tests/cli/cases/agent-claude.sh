# Claude Code as the student, by its fake: two rounds, in the second one a call that is malformed and a
# source that lies in a file.
cli_agent_task claude
cli_agent_fake claude claude
cat > agents/claude.script << 'END'
[student round 1]
say I look at the row.
call decision {}
call submit {"source":"FAKE speedup=1.5","note":"first"}
end
[student round 2]
call submit {}
say $REPLY
file kernel.c FAKE speedup=2
call submit {"path":"kernel.c"}
end
END
cli_agent_run
