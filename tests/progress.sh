# How far something is that takes long; to be sourced by bash scripts.

# with_progress TOTAL LOG COMMAND...: the output of the command goes to LOG, and a line to standard
# error every ten seconds says how far it is and about how long it still takes: by ninja's own count,
# else by the lines of LOG of TOTAL (0: it is not known).
with_progress() {
  local total=$1 log=$2 start=$SECONDS reporter status=0
  shift 2
  : >"$log"
  while sleep 10 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    how_far "$total" "$log" $((SECONDS - start))
  done >&2 &
  reporter=$!
  "$@" >"$log" 2>&1 || status=$?
  kill "$reporter" 2>/dev/null || true
  wait "$reporter" 2>/dev/null || true
  return $status
}

# how_far TOTAL LOG SECONDS: one such line.
how_far() {
  local total=$1 log=$2 spent=$3 what step ready
  what=$(basename "$log" .log)
  step=$(tr '\r' '\n' <"$log" | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1 | tr -d '[]') || true
  if [ -n "$step" ]; then
    ready=${step%/*} total=${step#*/}
  else
    ready=$(grep -vc '^go: ' "$log") || true
  fi
  if [ "$total" -gt 0 ] && [ "$ready" -gt 0 ] && [ "$ready" -lt "$total" ]; then
    echo "  $what: $ready of $total after $spent s; about $((spent * (total - ready) / ready)) s more"
  else
    echo "  $what: at it for $spent s"
  fi
}
