# The control arm of a recorded agent, and what may be said of one pair and of six. Times are made up.
use_fake_worker
recorded_task task
fake_student task 'FAKE speedup=1.5' 'FAKE reason=wrong_value' 'FAKE speedup=2.2'
t forge goal --seed 7 --dir control task
forge status control | only '^control|^state|^curriculum'
t forge goal --dir control task
t forge compare control
t forge new --seed 7 --dir run task
t forge compare run control
forge run run > /dev/null
t forge compare run control
t forge compare --time run control
cp -R task other
echo >> other/description.md
forge goal --seed 7 --dir other-control other > /dev/null
t forge compare run other-control
for seed in 1 2 3 4 5 6; do
	fake_student task 'FAKE speedup=2' "FAKE reason=wrong_value" "FAKE speedup=2.$seed"
	forge new --seed $seed --dir h$seed task > /dev/null
	forge run h$seed > /dev/null
	forge goal --seed $seed --dir c$seed task > /dev/null
done
t forge compare h1 h2 c1 c2
t forge compare h1 h2 h3 h4 h5 h6 c1 c2 c3 c4 c5 c6
forge compare --json h1 c1 | grep -oE '"(is_decided|units|is_direct|left_out)":[][a-z0-9]+'
t forge compare task
