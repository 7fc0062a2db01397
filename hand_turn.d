hand_turn.o: src/cmd/hand_turn.c src/base/banned.h src/cmd/hand_turn.h \
  src/base/str.h src/agent/mailbox.h src/agent/tool_table.h \
  src/agent/agent.h src/base/mem.h src/base/err.h src/base/file.h \
  src/base/json.h src/base/untrusted.h src/cmd/hand.h \
  src/engine/engine.h src/model/job.h src/model/result.h \
  src/model/verdict.h src/model/verdicts.def src/store/fold.h \
  src/model/diagnosis.h src/model/diagnoses.def \
  src/store/state_estimate.h src/cmd/need_run.h src/cmd/term.h \
  src/store/rundir.h src/store/rundir.def

src/base/banned.h:

src/cmd/hand_turn.h:

src/base/str.h:

src/agent/mailbox.h:

src/agent/tool_table.h:

src/agent/agent.h:

src/base/mem.h:

src/base/err.h:

src/base/file.h:

src/base/json.h:

src/base/untrusted.h:

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

src/cmd/need_run.h:

src/cmd/term.h:

src/store/rundir.h:

src/store/rundir.def:
