mailbox_link.o: src/agent/mailbox_link.c src/base/banned.h \
  src/agent/mailbox_link.h src/agent/agent_ops.h src/agent/drivers.def \
  src/agent/mailbox.h src/base/str.h src/agent/agent.h src/base/mem.h \
  src/agent/tool_table.h src/base/err.h src/base/json.h

src/base/banned.h:

src/agent/mailbox_link.h:

src/agent/agent_ops.h:

src/agent/drivers.def:

src/agent/mailbox.h:

src/base/str.h:

src/agent/agent.h:

src/base/mem.h:

src/agent/tool_table.h:

src/base/err.h:

src/base/json.h:
