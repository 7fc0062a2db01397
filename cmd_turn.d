cmd_turn.o: src/cmd/cmd_turn.c src/base/banned.h src/cmd/cmd.h \
  src/base/opt.h src/base/str.h src/cmd/commands.def src/agent/mailbox.h \
  src/base/err.h src/base/json.h src/base/mem.h src/base/untrusted.h \
  src/cmd/hand_turn.h src/cmd/hand.h src/engine/engine.h src/model/job.h \
  src/model/result.h src/model/verdict.h src/model/verdicts.def \
  src/store/fold.h src/model/diagnosis.h src/model/diagnoses.def \
  src/store/state_estimate.h src/cmd/term.h

src/base/banned.h:

src/cmd/cmd.h:

src/base/opt.h:

src/base/str.h:

src/cmd/commands.def:

src/agent/mailbox.h:

src/base/err.h:

src/base/json.h:

src/base/mem.h:

src/base/untrusted.h:

src/cmd/hand_turn.h:

src/cmd/hand.h:

src/engine/engine.h:

src/model/job.h:

src/model/result.h:

src/model/verdict.h:

src/model/verdicts.def:

src/store/fold.h:

src/model/diagnosis.h:

src/model/diagnoses.def:

src/store/state_estimate.h:

src/cmd/term.h:
