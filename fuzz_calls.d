fuzz_calls.o: tests/fuzz/fuzz_calls.c src/base/banned.h tests/fuzz/fuzz.h \
  src/base/clock.h src/base/err.h src/base/file.h src/base/mem.h \
  src/base/rng.h src/base/str.h src/agent/agent.h src/agent/agent_ops.h \
  src/agent/drivers.def src/agent/answer.h src/agent/calls.h \
  src/agent/frame.h src/base/json.h

src/base/banned.h:

tests/fuzz/fuzz.h:

src/base/clock.h:

src/base/err.h:

src/base/file.h:

src/base/mem.h:

src/base/rng.h:

src/base/str.h:

src/agent/agent.h:

src/agent/agent_ops.h:

src/agent/drivers.def:

src/agent/answer.h:

src/agent/calls.h:

src/agent/frame.h:

src/base/json.h:
