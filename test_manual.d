test_manual.o: tests/unit/agent/test_manual.c src/base/banned.h \
  src/agent/agent.h src/base/mem.h src/agent/agent_ops.h \
  src/agent/drivers.def src/agent/answer.h src/agent/mailbox.h \
  src/base/clock.h src/base/err.h src/base/file.h src/base/json.h \
  src/base/str.h tests/unit/test.h

src/base/banned.h:

src/agent/agent.h:

src/base/mem.h:

src/agent/agent_ops.h:

src/agent/drivers.def:

src/agent/answer.h:

src/agent/mailbox.h:

src/base/clock.h:

src/base/err.h:

src/base/file.h:

src/base/json.h:

src/base/str.h:

tests/unit/test.h:
