#!/bin/sh
# A private Slurm on one host: no systemd, nothing under /etc, as root, in about two seconds.
#   cluster.sh up DIR NODES CPUS_PER_NODE     (needs slurm-wlm and munge; with WITH_ACCOUNTING=1 slurmdbd and mariadb-server)
#   cluster.sh down DIR
#   cluster.sh ctld DIR                       starts slurmctld again after it was killed
#   cluster.sh slurmd DIR NODE                starts a node's slurmd again
# Settings: BASE_PORT, MAX_ARRAY_SIZE, MIN_JOB_AGE, SLURMD_TIMEOUT, MEMORY_CGROUP=1 (jobs that pass --mem are killed),
# MEMORY_KILL=1 (the same by slurmd itself, which looks now and then and tells nobody but the job's log; needs accounting),
# PREEMPTION=REQUEUE, CANCEL or SUSPEND (node n1 belongs to the partitions `low` and `urgent`; this happens to jobs of `low`
# when those of `urgent` come).
set -eu
verb=${1:?verb}
dir=${2:?folder}
port=${BASE_PORT:-17000}
host=$(hostname -s)
export SLURM_CONF="$dir/slurm.conf"

start_munge() {
    [ -f "$dir/munge.key" ] || { head -c 1024 /dev/urandom >"$dir/munge.key"; chmod 400 "$dir/munge.key"; }
    [ -S "$dir/run/munge.sock" ] || munged --force --key-file="$dir/munge.key" --socket="$dir/run/munge.sock" \
        --pid-file="$dir/run/munged.pid" --log-file="$dir/log/munged.log" --seed-file="$dir/run/munged.seed"
}

# A MariaDB of its own, on a socket and a local port, and slurmdbd over it.
start_accounting() {
    mkdir -p "$dir/mysql"
    [ -d "$dir/mysql/mysql" ] || mariadb-install-db --no-defaults --user=root --datadir="$dir/mysql" \
        --auth-root-authentication-method=normal --skip-test-db >"$dir/log/mysql-install.log" 2>&1
    mariadbd --no-defaults --user=root --datadir="$dir/mysql" --socket="$dir/run/mysql.sock" \
        --pid-file="$dir/run/mysql.pid" --bind-address=127.0.0.1 --port=$((port + 6)) \
        --innodb-buffer-pool-size=128M --innodb-lock-wait-timeout=900 >"$dir/log/mysql.log" 2>&1 &
    tries=0
    until mariadb --no-defaults -uroot -S "$dir/run/mysql.sock" -e 'select 1' >/dev/null 2>&1; do
        tries=$((tries + 1)); [ $tries -lt 200 ] || { echo "mariadb did not come up" >&2; exit 1; }
        sleep 0.1
    done
    mariadb --no-defaults -uroot -S "$dir/run/mysql.sock" -e "
        create database if not exists slurm_acct;
        create user if not exists 'slurm'@'127.0.0.1' identified by 'slurm';
        create user if not exists 'slurm'@'localhost' identified by 'slurm';
        grant all on slurm_acct.* to 'slurm'@'127.0.0.1';
        grant all on slurm_acct.* to 'slurm'@'localhost';"
    cat >"$dir/slurmdbd.conf" <<CONF
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.sock
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$((port + 19))
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$((port + 6))
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct
LogFile=$dir/log/slurmdbd.log
PidFile=$dir/run/slurmdbd.pid
CONF
    chmod 600 "$dir/slurmdbd.conf"
    touch "$dir/slurm.conf"
    slurmdbd
    tries=0
    until grep -q 'started' "$dir/log/slurmdbd.log" 2>/dev/null; do
        tries=$((tries + 1)); [ $tries -lt 300 ] || { echo "slurmdbd did not come up" >&2; exit 1; }
        sleep 0.1
    done
}

write_conf() {
    nodes=$1
    cpus=$2
    : >"$dir/nodes.conf"
    for i in $(seq 1 "$nodes"); do
        echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 100 + i)) CPUs=$cpus RealMemory=4000 Gres=gpu:2 State=UNKNOWN" >>"$dir/nodes.conf"
    done
    if [ "${WITH_ACCOUNTING:-0}" = 1 ]; then
        accounting="AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((port + 19))
AccountingStoragePass=$dir/run/munge.sock
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1"
        [ "${MEMORY_KILL:-0}" = 0 ] || accounting="$accounting
JobAcctGatherParams=OverMemoryKill"
    else
        accounting="AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none"
    fi
    if [ "${MEMORY_CGROUP:-0}" = 1 ]; then
        tracking="ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=900"
        printf 'CgroupPlugin=cgroup/v1\nConstrainRAMSpace=yes\n' >"$dir/cgroup.conf"
    else
        tracking="ProctrackType=proctrack/linuxproc
TaskPlugin=task/none"
        [ "${MEMORY_KILL:-0}" = 0 ] && tracking="$tracking
SelectTypeParameters=CR_Core" || tracking="$tracking
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500"
    fi
    if [ -n "${PREEMPTION:-}" ]; then
        mode=$PREEMPTION
        [ "$mode" != SUSPEND ] || mode=SUSPEND,GANG
        partitions="PreemptType=preempt/partition_prio
PreemptMode=$mode
PartitionName=main Nodes=n[2-$nodes] Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO PreemptMode=OFF
PartitionName=low Nodes=n1 MaxTime=60 State=UP OverSubscribe=NO PriorityTier=1 PreemptMode=$PREEMPTION
PartitionName=urgent Nodes=n1 MaxTime=60 State=UP OverSubscribe=NO PriorityTier=10 PreemptMode=OFF"
    else
        partitions="PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO"
    fi
    cat >"$dir/slurm.conf" <<CONF
ClusterName=bench
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/run/munge.sock
SlurmctldPort=$((port + 17))
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd.%n.pid
SlurmdSpoolDir=$dir/spool/%n
StateSaveLocation=$dir/state
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.%n.log
$tracking
GresTypes=gpu
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_interval=2,default_queue_depth=1000
ReturnToService=2
SlurmdParameters=config_overrides
SlurmctldTimeout=10
SlurmdTimeout=${SLURMD_TIMEOUT:-10}
InactiveLimit=0
KillWait=2
MinJobAge=${MIN_JOB_AGE:-600}
MaxArraySize=${MAX_ARRAY_SIZE:-100001}
MaxJobCount=100000
JobRequeue=1
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/log/jobcomp.txt
$accounting
include $dir/nodes.conf
$partitions
CONF
    # Any two files that are devices: Slurm counts and assigns them as if they were GPUs.
    printf 'AutoDetect=off\nName=gpu File=/dev/null\nName=gpu File=/dev/zero\n' >"$dir/gres.conf"
    touch "$dir/log/jobcomp.txt"
}

wait_until_idle() {
    tries=0
    until [ "$(timeout 2 sinfo -h -o '%T' 2>/dev/null | sort -u | tr '\n' ' ')" = "idle " ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || { echo "slurm did not come up: are its ports taken? see $dir/log" >&2; exit 1; }
        sleep 0.1
    done
}

case $verb in
up)
    mkdir -p "$dir/state" "$dir/log" "$dir/spool" "$dir/run"
    chmod 755 "$dir"
    start_munge
    [ "${WITH_ACCOUNTING:-0}" = 0 ] || start_accounting
    write_conf "${3:-3}" "${4:-4}"
    slurmctld -c -f "$SLURM_CONF"
    for i in $(seq 1 "${3:-3}"); do
        mkdir -p "$dir/spool/n$i"
        slurmd -N "n$i" -f "$SLURM_CONF"
    done
    wait_until_idle
    ;;
ctld) slurmctld -f "$SLURM_CONF" ;;
slurmd) slurmd -N "${3:?node}" -f "$SLURM_CONF" ;;
down)
    # All are asked, then forced: a daemon whose folder is taken away would hang about with its port. Nothing of theirs
    # is kept, so they get little time.
    pids=$(cat "$dir"/run/slurmctld.pid "$dir"/run/slurmd.*.pid "$dir"/run/slurmdbd.pid "$dir"/run/mysql.pid "$dir"/run/munged.pid 2>/dev/null || true)
    for pid in $pids; do kill "$pid" 2>/dev/null || true; done
    sleep 0.5
    for pid in $pids; do kill -9 "$pid" 2>/dev/null || true; done
    [ -f "$dir/cgroup.conf" ] || exit 0
    for group in /sys/fs/cgroup/*/slurm_n*; do
        [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
    done
    true
    ;;
*) echo "unknown verb $verb" >&2; exit 2 ;;
esac
