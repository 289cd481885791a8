#!/bin/sh
# Sluice and a receiver on this machine, until Ctrl-C. Run from the root of a clone.
set -eu

: "${PORT:=8080}" "${RECEIVER_PORT:=3001}" "${DATA:=./local-data}"
mkdir -p "$DATA"

# Made once, and the same at every later start.
[ -f "$DATA/password" ] || (umask 077 && openssl rand -hex 12 > "$DATA/password")
[ -f "$DATA/webhook-secret" ] || (umask 077 && openssl rand -hex 24 > "$DATA/webhook-secret")

npm run --silent build

SECRET=$(cat "$DATA/webhook-secret") PORT=$RECEIVER_PORT node_modules/.bin/bun examples/receiver/server.ts &
receiver=$!

env SLUICE_PORT="$PORT" SLUICE_HOST=127.0.0.1 SLUICE_DATA_DIR="$DATA" \
  SLUICE_ALLOW_HTTP=true SLUICE_ALLOW_ADDRESSES=127.0.0.0/8 \
  SLUICE_ADMIN_EMAIL=you@example.com SLUICE_ADMIN_PASSWORD="$(cat "$DATA/password")" \
  node_modules/.bin/bun packages/server/src/main.ts serve &
sluice=$!

stop() {
  trap - INT TERM
  kill "$sluice" "$receiver" 2>/dev/null || true
  wait
}
trap 'stop; exit 0' INT TERM

until curl --silent --fail --output /dev/null "http://127.0.0.1:$PORT/readyz"; do
  # Whatever kept it from starting has been said.
  kill -0 "$sluice" || { stop; exit 1; }
  sleep 0.2
done
echo "Log in at http://localhost:$PORT as you@example.com with $(cat "$DATA/password")"
echo "A webhook destination for http://127.0.0.1:$RECEIVER_PORT has the secret $(cat "$DATA/webhook-secret")"
wait
