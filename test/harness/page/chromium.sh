#!/bin/sh
# Chromium gives itself priority over other processes if it may, as root may. Its software
# rendering would take the processor from the nodes under test.
without=--bounding-set=-sys_nice
browser=$(command -v chromium || command -v google-chrome)
if setpriv $without true 2>/dev/null; then
  exec setpriv $without --inh-caps=-sys_nice "$browser" "$@"
fi
exec "$browser" "$@"
