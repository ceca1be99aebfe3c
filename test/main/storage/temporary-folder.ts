import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder for the running test. It is deleted when the test ends. */
export function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'headroom-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A folder in memory, if possible, because thousands of writes would take long on a disk. */
export const quickFolder = (): string => temporaryFolder(existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
