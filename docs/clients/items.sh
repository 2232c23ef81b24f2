# Each byte as %XX, the slashes too.
encoded() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'; }

url="http://localhost:8080/api/usercontent/v1/diritems/id/1/$(encoded 'photos/50% off #1/Übersicht 日本')"
headers=$(mktemp)
next='?limit=2'
while [ -n "$next" ]; do
  curl --silent --show-error --fail-with-body --dump-header "$headers" "$url$next" || exit
  echo
  next=$(sed -n 's/^[Ll]ink: <\([^>]*\)>.*/\1/p' "$headers")
done
rm "$headers"
