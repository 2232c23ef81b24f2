#!/usr/bin/env bash
# Runs canopy.service under a systemd of its own and looks at what it does: installed as docs/operations.md says, two
# workers, a listing that another process reads, a reload, a worker that is killed, a stop. As root, on Linux with
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
  mount --make-rprivate /
  mount -t proc proc /proc
  # What systemd tidies up when it starts is not the machine's.
  for place in /tmp /run /var/log; do mount -t tmpfs tmpfs "$place"; done
  mount -t tmpfs tmpfs "$home/layers"
  # Where Canopy is installed already, its things are hidden.
  mkdir -p "$home"/layers/{etc,var/lib}
  mknod "$home/layers/etc/canopy" c 0 0
  mknod "$home/layers/var/lib/canopy" c 0 0
  for place in etc opt var/lib; do
    mkdir -p "$home/layers/$place" "$home/layers/scratch/$place"
    mount -t overlay overlay -o "lowerdir=/$place,upperdir=$home/layers/$place,workdir=$home/layers/scratch/$place" "/$place"
  done
  userdel canopy 2>/dev/null || true
  mkdir -p /opt/canopy
  mount --bind "$home/canopy" /opt/canopy
  useradd --system --home-dir /var/lib/canopy --shell /usr/sbin/nologin canopy
  install -d -o canopy -g canopy -m 750 /var/lib/canopy
  install -d /etc/canopy
  printf 'CANOPY_DATA=/var/lib/canopy\nCANOPY_PORT=%s\nCANOPY_WORKERS=2\nCANOPY_KEPT_BYTES=0\n' "$port" >/etc/canopy/canopy.env
  install -m 644 "$home/deploy/canopy.service" /etc/systemd/system/
  printf '[Unit]\nRequires=canopy.service\nAfter=canopy.service\n' >/etc/systemd/system/only-canopy.target
  setpriv --reuid canopy --regid canopy --clear-groups env CANOPY_CONFIG=/etc/canopy/canopy.env \
    node /opt/canopy/current/admin/bin/canopy.js demo >"$home/demo"
  setpriv --reuid canopy --regid canopy --clear-groups bash -c 'mkdir /var/lib/canopy/areas/1/many && cd $_ && touch {1..3000}'
  export container=namespaces
  exec /lib/systemd/systemd --system --unit=only-canopy.target --log-target=journal --show-status=no
fi

home=$(mktemp -d -p /var/tmp)
trap 'kill -KILL "${systemd:-}" 2>/dev/null || true; wait; rm -rf "$home"' EXIT
mkdir "$home/canopy" "$home/layers"
cp -r "$repository/deploy" "$home"
cd "$repository"
for app in server admin; do
  node scripts/pnpm.mjs --filter "@canopy/$app" deploy --prod "$home/canopy/releases/1/$app" >"$home/copied" 2>&1 ||
    { cat "$home/copied"; exit 1; }
done
ln -s /opt/canopy/releases/1 "$home/canopy/current"

unshare --mount --pid --fork --kill-child --uts --ipc "$repository/deploy/check-unit.sh" inside "$home" 2>"$home/trouble" &
unshared=$!
inside() { nsenter -t "$systemd" -m -p "$@"; }
started() { systemd=$(pgrep -P "$unshared" -f '^/lib/systemd/systemd '); }
pids() { inside pgrep -u canopy -f "$1" | sort; }
property() { inside systemctl show canopy -p "$1" --value; }
are() { [ "$(property "$1")" = "$2" ]; }
workers_are_others() { [ "$(pids main.js | wc -l)" = 3 ] && [ "$(comm -12 <(pids main.js) <(echo "$before") | wc -l)" = "$1" ]; }

within started || { echo 'systemd did not start'; cat "$home/trouble"; exit 1; }
check 'it starts and answers' within answers /readyz
check 'it runs as three processes' [ "$(pids main.js | wc -l)" = 3 ]
for _ in 1 2 3 4; do check 'a listing is whole' grep -q '"3000"' <(answers /api/usercontent/v1/diritems/id/1/many); done
check 'another process read it' within pids reader.mjs

before=$(pids main.js)
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
