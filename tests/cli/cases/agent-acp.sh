# An agent of the Agent Client Protocol as the student, by a fake that is called gemini: it asks before it
# edits, and hands the second row back.
cli_agent_task acp '[agents.acp]
profile = "gemini"'
cli_agent_fake acp-agent gemini
cat > agents/acp-agent.script << 'END'
[student round 1]
permission edit /workspace/kernel.c
say edit in the workspace: $REPLY
permission edit /etc/passwd
say edit outside: $REPLY
permission execute
say a command: $REPLY
call submit {"source":"FAKE speedup=1.5"}
end
[student round 2]
call handback {"reason":"the tiles do not fit"}
end
END
cli_agent_run
