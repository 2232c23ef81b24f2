#!/usr/bin/env bash
# Builds both images of the Dockerfile and looks at what they do: the demo that the command makes in a volume, the server
# beside it without a writable root or any capability, a listing that another process reads, its health check, a stop.
# It takes names of its own, port 8098 of the loopback interface, and removes what it made; the images stay.
#
#   deploy/check-images.sh                                   with Docker
#   ENGINE=podman deploy/check-images.sh                     with Podman
#   BUILD='--build-arg NODE=...' RUN='--runtime=runc' ...    what else they need where you are
set -euo pipefail

repository=$(cd "$(dirname "$0")/.." && pwd)
source "$repository/deploy/checks.sh"
port=${CANOPY_PORT:-8098}
engine=${ENGINE:-docker}
read -ra build <<<"${BUILD:-}"
read -ra run <<<"${RUN:-}"
# What Podman builds otherwise has no health check.
case ${engine##*/} in podman*) build+=(--format=docker) ;; esac
name=canopy-check-$$

image() { "$engine" build "${build[@]}" -f "$repository/deploy/Dockerfile" --target "$1" -t "$2" "$repository"; }
image server canopy
image admin canopy-admin

trap '"$engine" rm --force "$name" >/dev/null 2>&1 || true; "$engine" volume rm "$name" "$name-any" >/dev/null || true' EXIT
"$engine" volume create "$name" >/dev/null
hardened=(--volume "$name:/var/lib/canopy" --read-only --cap-drop ALL --security-opt no-new-privileges)
as_user() { [ "$("$engine" image inspect --format '{{.Config.User}}' "$1")" = 1000:1000 ]; }
once() { "$engine" run "${run[@]}" --rm "${hardened[@]}" "$@"; }
inside() { "$engine" exec "$name" node --eval "$1"; }

check 'the server is not root' as_user canopy
check 'nor is the command' as_user canopy-admin
check 'the command makes a demo' once canopy-admin demo
any_user=(--user 1000680000:0 --volume "$name-any:/var/lib/canopy")
"$engine" volume create "$name-any" >/dev/null
check 'any user of group 0 makes a demo' "$engine" run "${run[@]}" --rm "${any_user[@]}" "${hardened[@]:2}" canopy-admin demo
check 'any user of group 0 can serve it' "$engine" run "${run[@]}" --rm "${any_user[@]}" "${hardened[@]:2}" canopy --check
check 'a directory of 3,000 files' once --entrypoint node canopy-admin --eval '
  const fs = require("node:fs")
  const many = "/var/lib/canopy/areas/1/many"
  fs.mkdirSync(many)
  for (let at = 1; at <= 3000; at += 1) fs.writeFileSync(`${many}/${at}`, "")'

"$engine" run "${run[@]}" --detach --name "$name" "${hardened[@]}" --publish "127.0.0.1:$port:8080" \
  --env CANOPY_WORKERS=2 --env CANOPY_CACHE_BYTES=0 canopy >/dev/null
check 'it starts and answers' within answers /readyz
check 'it runs as user 1000' inside 'process.exit(process.getuid() === 1000 ? 0 : 1)'
check 'it cannot write where it is installed' inside '
  try { require("node:fs").writeFileSync("/opt/canopy/new", ""); process.exit(1) } catch ({ code }) { process.exit(code === "EROFS" ? 0 : 1) }'
for _ in 1 2 3 4; do check 'a listing is whole' grep -q '"3000"' <(answers /api/usercontent/v1/diritems/id/1/many); done
check 'another process read it' inside '
  const { readdirSync, readFileSync } = require("node:fs")
  const runs = (pid) => { try { return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("entry/process.js") } catch { return false } }
  process.exit(readdirSync("/proc").filter((name) => Number(name) > 0).some(runs) ? 0 : 1)'
check 'its health check is content' inside "
  const [, ...command] = $("$engine" inspect --format '{{json .Config.Healthcheck.Test}}' "$name")
  process.exit(require('node:child_process').spawnSync(command[0], command.slice(1)).status)"
"$engine" stop --time 20 "$name" >/dev/null
check 'it stopped of its own' [ "$("$engine" inspect --format '{{.State.ExitCode}}' "$name")" = 0 ]
total || { "$engine" logs "$name" | tail -n 30; exit 1; }
