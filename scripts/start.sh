# `npm start` serves a demo, `npm start -- DIR` a directory.
canopy=$PWD/apps/admin/bin/canopy.js
if [ $# -gt 0 ]; then
  # npm runs this at the root of the repository; DIR is relative to the caller's directory.
  cd "${INIT_CWD:-.}" && exec node "$canopy" serve "$@"
fi
node "$canopy" demo && CANOPY_FILES=${CANOPY_FILES:-on} exec node apps/server/dist/main.js
