import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Environment variables that make the app believe that the desktop shows tray icons: `busctl` in `folder`
 * reports a tray on the bus. Without a tray, the app opens its window after a while, because it could not be
 * reached otherwise.
 */
export function shownTray(folder: string): Readonly<Record<string, string>> {
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  const answering = join(programs, 'busctl')
  writeFileSync(answering, '#!/bin/sh\necho "b true"\n')
  for (const path of [programs, answering]) chmodSync(path, 0o755)
  return {
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
  }
}
