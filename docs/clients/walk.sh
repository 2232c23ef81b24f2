tree='http://localhost:8080/api/usercontent/v1/tree/id/1/photos?name=*.jpg'
after='' type=''
while [ "$type" != end ]; do
  curl --silent --show-error --fail --header 'Accept: application/x-ndjson' "$tree$after" > lines
  [ -z "$(tail -c 1 lines)" ] || sed -i '$d' lines # The last line was cut.
  [ -s lines ] || exit 1
  jq --raw-output 'select(.type == "file" or .type == "dir").path' lines
  type=$(tail -n 1 lines | jq --raw-output .type)
  after=$(tail -n 1 lines | jq --raw-output '"&after=" + (.path // .after // "" | @uri)')
done
