# What check-unit.sh and check-images.sh have in common: checks that are counted, and waiting for what takes a while.
passed=0
failed=0
check() {
  local what=$1
  shift
  if "$@" >/dev/null 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
  fi
}
within() { for _ in $(seq 150); do "$@" >/dev/null 2>&1 && return; sleep 0.2; done; return 1; }
answers() { curl -sf "http://127.0.0.1:$port$1"; }
total() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
