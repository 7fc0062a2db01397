# A run whose jobs go to another machine by ssh, as local.env says: as here. What is wrong with the host
# stops it, costs nothing, and the same command goes on.
fake_forge
mv fakebin/forge-worker fakebin/measures-nothing
cat > fakebin/forge-worker << END
#!/bin/sh
case \$1 in
deliver | spool) verb=\$1; shift; exec "$FORGE_BIN/forge-worker" \$verb --worker "\$0" "\$@" ;;
esac
exec "$PWD/fakebin/measures-nothing" "\$@"
END
chmod +x fakebin/forge-worker
PATH=$CLI/../fake/hosts:$PATH
export FAKE_HOST="$PWD/host"
mkdir -p host/home
fake_task task
student 'FAKE speedup=1.5' 'FAKE reason=wrong_value' 'FAKE speedup=4' give_up
course > task/replay/v1.toml << 'END'
M1
D1.1 needs=D0.1
D1.2 needs=D0.1
END
teacher v1.toml
forge new --seed 3 --dir here task > /dev/null
forge run here > /dev/null
forge new --seed 3 --dir away task > /dev/null
cat > local.env << 'END'
FK_DELIVERY=ssh
export REMOTE_HOST="me@box"
REMOTE_WORKDIR='~/work'
END
echo "[ \$call -lt 5 ] || { echo 'ssh: connect to host box port 22: Connection refused' >&2; exit 255; }" > host/faults
forge run away > out 2>&1
echo "exit $?"
only -o 'the host can not be reached.*|what was recorded is kept.*' < out
grep -c job_failed away/events.jsonl
rm host/faults
forge run away > out 2>&1
echo "exit $?"
only '^goal met' < out
rounds() { loop_log "$1" | sed -E 's/^[0-9]+ //; s/"queue_s":[0-9.e-]+//'; }
rounds here > want
rounds away | cmp - want && echo 'the same rounds'
ls host/home/work
forge doctor --no-run | only '^hosts|^  (local|ssh|spool) '
echo FK_DELIVERY=pigeon > local.env
t forge run away
printf '# where\nFK_DELIVERYY=spool\n' > local.env
t forge judge task local.env
echo SLURM_COLOUR=blue > local.env
t forge judge task local.env
echo FK_DELIVERY=spool > local.env
t forge judge task local.env
echo "# a spool that is not there"
t "$FORGE_BIN/forge-worker" spool --once nowhere
t "$FORGE_BIN/forge-worker" spool --once local.env
