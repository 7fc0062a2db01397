calls.o: src/agent/calls.c src/base/banned.h src/agent/calls.h \
  src/agent/agent.h src/base/mem.h src/agent/agent_ops.h \
  src/agent/drivers.def src/agent/answer.h src/agent/data_tools.h \
  src/agent/file_tools.h src/agent/tool_table.h src/base/err.h \
  src/base/json.h src/base/str.h src/base/untrusted.h

src/base/banned.h:

src/agent/calls.h:

src/agent/agent.h:

src/base/mem.h:

src/agent/agent_ops.h:

src/agent/drivers.def:

src/agent/answer.h:

src/agent/data_tools.h:

src/agent/file_tools.h:

src/agent/tool_table.h:

src/base/err.h:

src/base/json.h:

src/base/str.h:

src/base/untrusted.h:
