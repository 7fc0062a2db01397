# Both roles of a run are played through `forge mcp`.
fake_forge
fake_task task 's/^max_meta.*/max_meta = 0/' 's/^student = .*/student = "manual"/' 's/^teacher = .*/teacher = "manual"/'
printf 'M1\nD1.1 needs=D0.1\nD1.2 needs=D0.1\n' | course > course.toml
forge new --dir run task > /dev/null
timeout 120 forge run run > run.log 2>&1 &
python3 "$CLI/../mcp/by_hand.py" run course.toml 'FAKE speedup=2' 'FAKE reason=wrong_value' 'FAKE speedup=4'
wait $!
echo "forge run exits $?"
tail -n 4 run.log
