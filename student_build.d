student_build.o: src/engine/student_build.c src/base/banned.h \
  src/engine/student_build.h src/agent/clip.h src/base/err.h \
  src/base/file.h src/base/json.h src/base/rng.h src/base/str.h \
  src/engine/bundle.h src/engine/engine_in.h src/engine/engine.h \
  src/base/mem.h src/model/job.h src/model/result.h src/model/verdict.h \
  src/model/verdicts.def src/store/fold.h src/model/diagnosis.h \
  src/model/diagnoses.def src/store/state_estimate.h \
  src/model/curriculum.h src/model/task.h src/model/dtype.h \
  src/model/dtype.def src/model/shape.h src/model/expr.h \
  src/store/eventlog.h src/base/digest.h src/store/chain_events.def \
  src/store/events.def src/store/rundir.h src/store/rundir.def \
  src/engine/on_host.h

src/base/banned.h:

src/engine/student_build.h:

src/agent/clip.h:

src/base/err.h:

src/base/file.h:

src/base/json.h:

src/base/rng.h:

src/base/str.h:

src/engine/bundle.h:

src/engine/engine_in.h:

src/engine/engine.h:

src/base/mem.h:

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

src/base/digest.h:

src/store/chain_events.def:

src/store/events.def:

src/store/rundir.h:

src/store/rundir.def:

src/engine/on_host.h:
