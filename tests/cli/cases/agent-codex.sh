# Codex as the student, by its fake: the first prompt of the second round ends without an answer; the
# thread is resumed and brings it. Its usage counts the whole thread.
cli_agent_task codex
cli_agent_fake codex codex
cat > agents/codex.script << 'END'
[student round 1]
call contract {}
call submit {"source":"FAKE speedup=1.5"}
end
[student round 2]
say I think about it.
unless asked end
call submit {"source":"FAKE speedup=2"}
end
END
cli_agent_run
