turns.o: src/engine/turns.c src/base/banned.h src/engine/turns.h \
  src/agent/agent.h src/base/mem.h src/agent/agent_ops.h \
  src/agent/drivers.def src/base/clock.h src/base/digest.h \
  src/base/err.h src/base/file.h src/base/json.h src/base/str.h \
  src/engine/budget.h src/engine/engine_in.h src/engine/engine.h \
  src/model/job.h src/model/result.h src/model/verdict.h \
  src/model/verdicts.def src/store/fold.h src/model/diagnosis.h \
  src/model/diagnoses.def src/store/state_estimate.h \
  src/model/curriculum.h src/model/task.h src/model/dtype.h \
  src/model/dtype.def src/model/shape.h src/model/expr.h \
  src/store/eventlog.h src/store/chain_events.def src/store/events.def \
  src/store/rundir.h src/store/rundir.def src/engine/prompts.h \
  src/engine/student_build.h src/engine/teacher_tools.h \
  src/engine/turn_data.h src/model/task_agents.h

src/base/banned.h:

src/engine/turns.h:

src/agent/agent.h:

src/base/mem.h:

src/agent/agent_ops.h:

src/agent/drivers.def:

src/base/clock.h:

src/base/digest.h:

src/base/err.h:

src/base/file.h:

src/base/json.h:

src/base/str.h:

src/engine/budget.h:

src/engine/engine_in.h:

src/engine/engine.h:

src/model/job.h:

src/model/result.h:

src/model/verdict.h:

src/model/verdicts.def:

src/store/fold.h:

src/model/diagnosis.h:

src/model/diagnoses.def:

src/store/state_estimate.h:

src/model/curriculum.h:

src/model/task.h:

src/model/dtype.h:

src/model/dtype.def:

src/model/shape.h:

src/model/expr.h:

src/store/eventlog.h:

src/store/chain_events.def:

src/store/events.def:

src/store/rundir.h:

src/store/rundir.def:

src/engine/prompts.h:

src/engine/student_build.h:

src/engine/teacher_tools.h:

src/engine/turn_data.h:

src/model/task_agents.h:
