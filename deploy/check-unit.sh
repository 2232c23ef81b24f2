#!/usr/bin/env bash
# Runs canopy.service under a systemd of its own and looks at what it does: installed by the steps of docs/operations.md,
# two workers, a listing that another process reads, a reload, a worker that is killed, a stop. As root, on Linux with
# systemd and util-linux; it takes namespaces of its own, and changes nothing of the machine's.
#
#   npm run setup && sudo deploy/check-unit.sh
set -euo pipefail

repository=$(cd "$(dirname "$0")/.." && pwd)
source "$repository/deploy/checks.sh"
port=${CANOPY_PORT:-8099}

# The second half: first process of the namespaces, on its way to be systemd. The repository may be hidden from here on.
if [ "${1:-}" = inside ]; then
  home=$2
  cd "$home"
  mount --make-rprivate /
  mount -t proc proc /proc
  # What systemd tidies up when it starts is not the machine's.
  for place in /tmp /run /var/log; do mount -t tmpfs tmpfs "$place"; done
  mount -t tmpfs tmpfs "$home/layers"
  # Where Canopy is installed already, its things are hidden.
  mkdir -p "$home"/layers/{etc,var/lib}
  mknod "$home/layers/etc/canopy" c 0 0
  mknod "$home/layers/var/lib/canopy" c 0 0
  for place in etc opt usr/local var/lib; do
    mkdir -p "$home/layers/$place" "$home/layers/scratch/$place"
    mount -t overlay overlay -o "lowerdir=/$place,upperdir=$home/layers/$place,workdir=$home/layers/scratch/$place" "/$place"
  done
  userdel canopy 2>/dev/null || true
  mkdir -p /opt/canopy
  mount --bind canopy /opt/canopy
  bash -e install
  printf 'CANOPY_PORT=%s\nCANOPY_WORKERS=2\nCANOPY_CACHE_BYTES=0\n' "$port" >>/etc/canopy/canopy.env
  runuser -u canopy -- canopy visibility set 1 / public
  runuser -u canopy -- bash -c 'mkdir /var/lib/canopy/areas/1/many && cd $_ && touch {1..3000}'
  printf '[Unit]\nDescription=Nothing but what is started by hand\n' >/etc/systemd/system/only-canopy.target
  export container=namespaces
  exec /lib/systemd/systemd --system --unit=only-canopy.target --log-target=journal --show-status=no
fi

# The step of the page that begins so, to its empty line.
step() { sed -n "\|^    $1|,/^\$/s/^    //p" "$repository/docs/operations.md"; }

home=$(mktemp -d -p /var/tmp)
trap 'kill -KILL "${systemd:-}" 2>/dev/null || true; wait; rm -rf "$home"' EXIT
mkdir "$home/canopy" "$home/layers"
cp -r "$repository/deploy" "$home"
step 'npm run setup' | sed -e 1d -e "s|--prod /opt|--prod $home|" -e "s|/opt/canopy/current|$home/canopy/current|" >"$home/copy"
{ step 'install -m 0755 /dev/stdin /usr/local/bin/canopy'; step 'useradd'; } >"$home/install"
step 'cp deploy/canopy.service' >"$home/start"
(cd "$repository" && bash -e "$home/copy") >"$home/copied" 2>&1 || { cat "$home/copied"; exit 1; }

unshare --mount --pid --fork --kill-child --uts --ipc "$repository/deploy/check-unit.sh" inside "$home" >"$home/trouble" 2>&1 &
unshared=$!
inside() { nsenter -t "$systemd" -m -p --wd="$home" "$@"; }
started() { systemd=$(pgrep -P "$unshared" -f '^/lib/systemd/systemd ') && inside systemctl is-active only-canopy.target; }
pids() { inside pgrep -u canopy -f "$1" | sort; }
property() { inside systemctl show canopy -p "$1" --value; }
are() { [ "$(property "$1")" = "$2" ]; }
workers_are_others() { [ "$(pids main.js | wc -l)" = 3 ] && [ "$(comm -12 <(pids main.js) <(echo "$before") | wc -l)" = "$1" ]; }

within started || { echo 'systemd did not start'; cat "$home/trouble"; exit 1; }
check 'it is enabled and started' inside bash -e start
check 'it starts and answers' within answers /readyz
check 'it runs as three processes' [ "$(pids main.js | wc -l)" = 3 ]
for _ in 1 2 3 4; do check 'a listing is whole' grep -q '"3000"' <(answers /api/usercontent/v1/diritems/id/1/many); done
check 'another process read it' within pids entry/process.js

before=$(pids main.js)
check 'systemd stops nothing when the kernel kills one process for lack of memory' are OOMPolicy continue
check 'it reloads' inside systemctl reload canopy
check 'a reload replaces both workers' within workers_are_others 1
check 'it answers after a reload' answers /api/usercontent/v1/tree/id/1

before=$(pids main.js)
inside kill -KILL "$(inside pgrep -P "$(property MainPID)" | head -n 1)"
check 'a worker that was killed is replaced' within workers_are_others 2

check 'it stops' inside systemctl stop canopy
check 'it stopped of its own' are ExecMainStatus 0
check 'nothing of it is left' [ -z "$(pids .)" ]
total || { inside journalctl -u canopy --no-pager -o cat | tail -n 30; exit 1; }
