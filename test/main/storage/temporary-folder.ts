import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of the running test's own, gone when it ends. */
export function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'headroom-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** One in memory, where there is such a place: thousands of writes are no work for a disk. */
export const quickFolder = (): string => temporaryFolder(existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
