driver_manual.o: src/agent/driver_manual.c src/base/banned.h \
  src/agent/agent_ops.h src/agent/drivers.def src/agent/agent.h \
  src/base/mem.h src/agent/mailbox_link.h src/agent/mailbox.h \
  src/base/str.h src/base/clock.h src/base/err.h src/base/json.h

src/base/banned.h:

src/agent/agent_ops.h:

src/agent/drivers.def:

src/agent/agent.h:

src/base/mem.h:

src/agent/mailbox_link.h:

src/agent/mailbox.h:

src/base/str.h:

src/base/clock.h:

src/base/err.h:

src/base/json.h:
