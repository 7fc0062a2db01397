"""A real sshd and a real Slurm of one node, in a folder of their own: on loopback, on ports that are
free, with keys made for them, and gone afterwards."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time


class Missing(Exception):
    """What this machine lacks for a service."""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def program(name):
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not path:
        raise Missing(f"{name} is not installed (scripts/setup --hosts)")
    return path


def wait_until(holds, what, seconds=30):
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            raise RuntimeError(f"waited {seconds} s for {what}")
        time.sleep(0.05)


def stop(process, seconds=20):
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def listens(port):
    with socket.socket() as s:
        s.settimeout(1)
        return s.connect_ex(("127.0.0.1", port)) == 0


class Sshd:
    """Each command passes through a script of ours that reads `faults` first, as tests/fake/hosts/ssh
    does: what happens between sshd and the worker can be told there."""

    def __init__(self, top):
        self.top = pathlib.Path(top) / "sshd"
        sshd, keygen = program("sshd"), program("ssh-keygen")
        self.top.mkdir()
        self.home = self.top / "home"
        self.home.mkdir()
        self.faults = self.top / "faults"
        self.port = free_port()
        for key in ("host", "user", "other"):
            subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", self.top / key], check=True)
        shutil.copy(self.top / "user.pub", self.top / "authorized")
        public = (self.top / "host.pub").read_text().split()
        (self.top / "known").write_text(f"[127.0.0.1]:{self.port} {public[0]} {public[1]}\n")
        (self.top / "unknown").write_text("")
        (self.top / "enter").write_text(
            f"""#!/bin/sh
echo x >> {self.top}/calls
call=$(grep -c x {self.top}/calls)
cd {self.home} || exit 1
[ ! -f {self.faults} ] || . {self.faults}
sh -c "$SSH_ORIGINAL_COMMAND"
""")
        (self.top / "enter").chmod(0o755)
        (self.top / "config").write_text(
            f"""Port {self.port}
ListenAddress 127.0.0.1
HostKey {self.top}/host
AuthorizedKeysFile {self.top}/authorized
PidFile {self.top}/pid
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
ForceCommand {self.top}/enter
""")
        if os.getuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        self.process = subprocess.Popen([sshd, "-D", "-e", "-f", self.top / "config"],
                                        stderr=open(self.top / "log", "w"))
        wait_until(lambda: listens(self.port) or self.process.poll() is not None, "sshd")
        if self.process.poll() is not None:
            raise Missing("sshd does not start: " + (self.top / "log").read_text().strip()[-200:])

    def settings(self, port=None, known="known", key="user"):
        options = (f"-F none -p {port or self.port} -i {self.top}/{key} -o UserKnownHostsFile={self.top}/{known} "
                   "-o GlobalKnownHostsFile=none -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes "
                   "-o IdentityAgent=none")
        return {"FK_DELIVERY": "ssh", "REMOTE_HOST": "127.0.0.1", "REMOTE_SSH_OPTIONS": options,
                "REMOTE_WORKDIR": str(self.work())}

    def work(self):
        return self.top / "work"

    def forget(self):
        self.faults.unlink(missing_ok=True)
        (self.top / "calls").unlink(missing_ok=True)

    def sessions(self):
        """Processes of connections that are open."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[1]
            except (OSError, IndexError):
                continue
            if parent == str(self.process.pid):
                found.append(int(entry.name))
        return found

    def stop(self):
        stop(self.process)


SLURM_CONF = """ClusterName=forge
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={top}/m/munge.socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort={ctld_port}
SlurmdPort={d_port}
StateSaveLocation={top}/state
SlurmdSpoolDir={top}/spool
SlurmctldPidFile={top}/slurmctld.pid
SlurmdPidFile={top}/slurmd.pid
SlurmctldLogFile={top}/slurmctld.log
SlurmdLogFile={top}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=30
InactiveLimit=0
MinJobAge=300
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} Boards=1 SocketsPerBoard=1 CoresPerSocket={cpus} ThreadsPerCore=1 State=UNKNOWN
PartitionName=bench Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE
"""


class Slurm:
    def __init__(self, top):
        self.top = pathlib.Path(top) / "slurm"
        self.running = []
        paths = {name: program(name) for name in ("munged", "slurmctld", "slurmd", "sbatch")}
        if os.getuid() != 0:
            raise Missing("slurmd starts jobs as root only")
        for folder in ("state", "spool", "m"):
            (self.top / folder).mkdir(parents=True)
        (self.top / "m").chmod(0o711)
        key = self.top / "m/munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        host = socket.gethostname().split(".")[0]
        (self.top / "slurm.conf").write_text(SLURM_CONF.format(
            host=host, top=self.top, ctld_port=free_port(), d_port=free_port(), cpus=os.cpu_count()))
        (self.top / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nConstrainCores=no\n")
        self.host = host
        self.env = {"SLURM_CONF": str(self.top / "slurm.conf")}
        m = self.top / "m"
        self.begin([paths["munged"], "--foreground", "--force", f"--key-file={key}", f"--socket={m}/munge.socket",
                    f"--pid-file={m}/pid", f"--log-file={m}/log", f"--seed-file={m}/seed"], "munged")
        wait_until((m / "munge.socket").exists, "munged")
        self.begin([paths["slurmctld"], "-D", "-f", self.top / "slurm.conf"], "slurmctld")
        time.sleep(1)
        self.begin([paths["slurmd"], "-D", "-f", self.top / "slurm.conf", "-N", host], "slurmd")
        try:
            wait_until(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), "an idle node", 40)
        except RuntimeError as e:
            self.stop()
            log = self.top / "slurmctld.log"
            raise Missing(f"Slurm does not start: {e}; " + (log.read_text()[-200:] if log.exists() else "")) from e

    def begin(self, argv, name):
        log = open(self.top / f"{name}.out", "w")
        self.running.append(subprocess.Popen(argv, stdout=log, stderr=log, stdin=subprocess.DEVNULL))

    def ask(self, *argv):
        return subprocess.run(argv, env={**os.environ, **self.env}, capture_output=True, text=True).stdout

    def settings(self):
        return {"FK_DELIVERY": "slurm", "REMOTE_WORKDIR": str(self.work()), **self.env}

    def work(self):
        return self.top / "work"

    def job(self):
        """The number of the newest job, or None."""
        numbers = self.ask("squeue", "-h", "-t", "all", "-o", "%i").split()
        return max(numbers, key=int) if numbers else None

    def state(self, job):
        return self.ask("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").strip()

    def stop(self):
        for process in reversed(self.running):
            stop(process)


def workers(inside, words="forge-worker"):
    """Processes of workers whose arguments or working folder lie inside of a folder."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            cwd = os.readlink(entry / "cwd")
        except (OSError, ValueError):
            continue
        if words in line and (str(inside) in line or cwd.startswith(str(inside))):
            found.append(int(entry.name))
    return found


def jobs(spool):
    """Names of the deliveries of a spool that are at work."""
    found = set()
    for pid in workers(spool, "forge-worker run"):
        try:
            line = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        found.update(part.split("/")[-2] for part in line.split("\0") if part.endswith("/bundle"))
    return found


def kill(pids, nr=signal.SIGKILL):
    for pid in pids:
        try:
            os.kill(pid, nr)
        except ProcessLookupError:
            pass
