cmd_yield.o: src/cmd/cmd_yield.c src/base/banned.h src/cmd/cmd.h \
  src/base/opt.h src/base/str.h src/cmd/commands.def src/agent/mailbox.h \
  src/base/err.h src/base/json.h src/base/mem.h src/cmd/hand_turn.h

src/base/banned.h:

src/cmd/cmd.h:

src/base/opt.h:

src/base/str.h:

src/cmd/commands.def:

src/agent/mailbox.h:

src/base/err.h:

src/base/json.h:

src/base/mem.h:

src/cmd/hand_turn.h:
