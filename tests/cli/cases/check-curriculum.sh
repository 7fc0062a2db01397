# A curriculum written by hand is graded row by row; so is a skeleton, a broken one and one that leaks.
recorded_task task
course=$CLI/task/replay/v1.toml
cp "$course" good.toml
t forge check --curriculum good.toml
t forge check --curriculum good.toml task
cp "$CLI/course/skeleton.toml" .
t forge check --curriculum skeleton.toml
sed 's/^value = "one walk over all elements"/value = "sqrtf( x[i] * x[i] + y[i] * y[i] )"/
	s/^why = "to hide latency"/why = "for (i = 0; ...) in steps of four"/' good.toml > leaks.toml
t forge check --curriculum leaks.toml task
sed '/^id = "D1.1"/,/^mechanism/s/^needs.*/needs = ["D1.2"]/; s/^wrong_when = "the odd shape is wrong"/wrong_when = " "/' good.toml > cycle.toml
t forge check --curriculum cycle.toml
t forge check --json --curriculum cycle.toml
sed 's/^title = /titel = /' good.toml > key.toml
t forge check --curriculum key.toml
t forge check --curriculum good.toml task task
t forge check --curriculum good.toml nowhere
t forge check
