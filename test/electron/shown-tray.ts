import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The environment of a desktop that shows tray icons, as far as the app can tell: `busctl` in `folder`
 * answers that the bus knows who shows them. Without it the app opens its window after a while, because
 * nobody could reach it.
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
