#!/bin/sh
# Run by dpkg before the package is removed. The package does not own the "Start at Login" file in each account's
# folder; left behind, it would start a program that no longer exists.
[ "$1" = remove ] || exit 0 # an upgrade keeps the choice

getent passwd | while IFS=: read -r account _ _ _ _ home _; do
  entry="$home/.config/autostart/headroom.desktop"
  # As the account: with root's rights a link in its folder could name any file.
  [ -f "$entry" ] && runuser -u "$account" -- rm -f -- "$entry"
done
exit 0 # an account that cannot be reached is no reason to keep the package
