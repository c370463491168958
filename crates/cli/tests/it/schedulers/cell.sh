#!/bin/sh
# A private Grid Engine of one host, with a cell, a spool and ports of its own: nothing under /etc or /var, as root.
#   cell.sh up DIR SLOTS       (needs gridengine-master, gridengine-exec and gridengine-client; BASE_PORT: where it listens)
#   cell.sh down DIR SLOTS
set -eu
verb=${1:?verb}
dir=${2:?folder}
slots=${3:?slots}
port=${BASE_PORT:-20800}
host=$(hostname)
debian=/usr/share/gridengine
export SGE_ROOT="$dir" SGE_CELL=default SGE_QMASTER_PORT="$port" SGE_EXECD_PORT="$((port + 1))"

# What Debian installs, with this folder in the place of its own and jobs of root allowed.
files() {
    mkdir -p "$dir" && chmod 755 "$dir"
    mkdir -p "$dir/default/common" "$dir/qmaster/job_scripts" "$dir/execd" "$dir/db"
    for name in bin lib utilbin util; do ln -s "/var/lib/gridengine/$name" "$dir/$name"; done
    sed -e "s|^admin_user .*|admin_user none|" -e "s|^spooling_params .*|spooling_params $dir/db|" \
        -e "s|^qmaster_spool_dir .*|qmaster_spool_dir $dir/qmaster|" $debian/default-bootstrap >"$dir/default/common/bootstrap"
    # Whatever this machine calls itself is one name.
    echo "localhost $host" >"$dir/default/common/host_aliases"
    echo localhost >"$dir/default/common/act_qmaster"
    sed -e "s|^execd_spool_dir .*|execd_spool_dir $dir/execd|" -e "s|^\(min_[ug]id  *\).*|\10|" \
        $debian/default-configuration >"$dir/configuration"
    cat >"$dir/host" <<CONF
hostname localhost
load_scaling NONE
complex_values NONE
user_lists NONE
xuser_lists NONE
projects NONE
xprojects NONE
usage_scaling NONE
report_variables NONE
CONF
    cat >"$dir/pe" <<CONF
pe_name smp
slots 999
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule \$pe_slots
control_slaves FALSE
job_is_first_task TRUE
urgency_slots min
accounting_summary FALSE
qsort_args NONE
CONF
    # A busy machine takes jobs all the same, and a job has seconds to leave.
    cat >"$dir/queue" <<CONF
qname all.q
hostlist localhost
seq_no 0
load_thresholds NONE
suspend_thresholds NONE
nsuspend 1
suspend_interval 00:05:00
priority 0
min_cpu_interval 00:05:00
processors UNDEFINED
qtype BATCH
ckpt_list NONE
pe_list smp
rerun FALSE
slots $slots
tmpdir /tmp
shell /bin/sh
prolog NONE
epilog NONE
shell_start_mode posix_compliant
starter_method NONE
suspend_method NONE
resume_method NONE
terminate_method NONE
notify 00:00:05
owner_list NONE
user_lists NONE
xuser_lists NONE
subordinate_list NONE
complex_values NONE
projects NONE
xprojects NONE
calendar NONE
initial_state default
CONF
    for limit in rt cpu fsize data stack core rss vmem; do
        printf 's_%s INFINITY\nh_%s INFINITY\n' $limit $limit
    done >>"$dir/queue"
}

pids() { cat "$dir/qmaster/qmaster.pid" "$dir/execd/$host/execd.pid" "$dir/execd/localhost/execd.pid" 2>/dev/null || true; }

case $verb in
up)
    files
    /usr/lib/gridengine/spoolinit berkeleydb libspoolb "$dir/db" init
    /usr/lib/gridengine/spooldefaults configuration "$dir/configuration"
    /usr/lib/gridengine/spooldefaults complexes $debian/util/resources/centry
    /usr/lib/gridengine/spooldefaults usersets $debian/util/resources/usersets
    /usr/lib/gridengine/spooldefaults managers root
    # It says that it is there before it listens.
    sge_qmaster
    tries=0
    until qconf -as localhost; do
        tries=$((tries + 1)); [ $tries -lt 300 ] || exit 1
        sleep 0.2
    done
    qconf -Ae "$dir/host"
    qconf -Ap "$dir/pe"
    qconf -ssconf | sed -e 's/^schedule_interval .*/schedule_interval 0:0:1/' -e 's/^flush_\(submit\|finish\)_sec .*/flush_\1_sec 1/' \
        -e 's/^job_load_adjustments .*/job_load_adjustments NONE/' >"$dir/scheduler"
    qconf -Msconf "$dir/scheduler"
    qconf -Aq "$dir/queue"
    sge_execd
    tries=0
    until qstat -f | grep -q 'lx-amd64 *$'; do
        tries=$((tries + 1)); [ $tries -lt 300 ] || { echo "the host does not report" >&2; qstat -f >&2; exit 1; }
        sleep 0.2
    done
    ;;
down)
    qdel -f -u '*' >/dev/null 2>&1 || true
    for pid in $(pids); do kill -9 "$pid" 2>/dev/null || true; done
    sleep 0.3
    ;;
*) echo "unknown verb $verb" >&2; exit 2 ;;
esac
