cmd_submit.o: src/cmd/cmd_submit.c src/base/banned.h src/cmd/cmd.h \
  src/base/opt.h src/base/str.h src/cmd/commands.def src/base/err.h \
  src/base/json.h src/base/mem.h src/cmd/hand_turn.h

src/base/banned.h:

src/cmd/cmd.h:

src/base/opt.h:

src/base/str.h:

src/cmd/commands.def:

src/base/err.h:

src/base/json.h:

src/base/mem.h:

src/cmd/hand_turn.h:
