# The whole event log of a run on a leaderboard, with recorded agents and a worker that measures nothing.
fake_forge
fake_task task 's/^\[reference\]/[leaderboard]\nname = "board"\norigin = "nowhere"/' \
	's/^\[target\]/[[leaderboard.tolerance]]\noutput = "y"\nrtol = 1e-3\natol = 1e-6\n\n[leaderboard.timing]\noperands = "cold"\nwarmups = 1\nrepeats = 7\nstatistic = "min"\nacross = "mean"\n\n&/'
rm -r task/judge
course > task/replay/v1.toml << 'END'
M1
D1.1 needs=D0.1
END
teacher v1.toml
student 'FAKE speedup=1.5' 'FAKE speedup=4'
forge new --dir run task > /dev/null
t forge run run
sed -n '/"judge_promoted"/,$p' run/events.jsonl | sed -E \
	-e 's/^\{"body":(.*),"mono_ns":.*"seq":([0-9]+),"type":"([a-z_]*)".*/\2 \3 \1/' \
	-e 's/"estimate":\{"call":"([a-z]*)"[^]]*\][^}]*"purpose":"([a-z]*)"[^]]*\][^}]*\}/"estimate":"\1 \2"/' \
	-e 's/"estimate":\{"call":"([a-z]*)"[^]]*"purpose":"([a-z]*)"[^]]*\][^}]*\}/"estimate":"\1 \2"/' \
	-e 's/"(seconds|usd|before|after|bytes|ratio|low|high|geomean_ns|target_ns)":[-0-9.e]+/"\1":#/g' \
	-e 's/"milestones":\[.*\],"path"/"path"/'
grep -h '"origin"' run/jobs/*/job.json run/rounds/*/*/job.json | sort | uniq -c
find run -name judge.c
forge status run | only '^leaderboard'
