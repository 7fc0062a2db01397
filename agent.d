agent.o: src/agent/agent.c src/base/banned.h src/agent/agent.h \
  src/base/mem.h src/agent/agent_box.h src/agent/agent_ops.h \
  src/agent/drivers.def src/agent/answer.h src/agent/calls.h \
  src/agent/frame.h src/agent/tool_table.h src/agent/transcript.h \
  src/base/clock.h src/base/err.h src/base/json.h src/base/str.h \
  src/base/untrusted.h

src/base/banned.h:

src/agent/agent.h:

src/base/mem.h:

src/agent/agent_box.h:

src/agent/agent_ops.h:

src/agent/drivers.def:

src/agent/answer.h:

src/agent/calls.h:

src/agent/frame.h:

src/agent/tool_table.h:

src/agent/transcript.h:

src/base/clock.h:

src/base/err.h:

src/base/json.h:

src/base/str.h:

src/base/untrusted.h:
