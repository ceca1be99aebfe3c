#!/bin/sh
# Run by dpkg before the package is removed. Removes the "Start at Login" file from each account's folder, because
# dpkg does not remove it. The file would start a program that no longer exists.
[ "$1" = remove ] || exit 0 # after an upgrade, the app still starts at login

getent passwd | while IFS=: read -r account _ _ _ _ home _; do
  entry="$home/.config/autostart/headroom.desktop"
  # Runs as the account. If it ran as root, it could follow a link in the account's folder to any file.
  [ -f "$entry" ] && runuser -u "$account" -- rm -f -- "$entry"
done
exit 0 # if a file cannot be removed, the package is removed anyway
