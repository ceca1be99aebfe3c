import { spawnSync } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk for a data folder, which can be filled up. */
export interface SmallDisk {
  readonly folder: string
  /** Why the disk cannot be filled; absent if it can. */
  readonly why?: string
  /** Fills the disk, except for `freeBytes`. */
  fill(freeBytes?: number): void
  free(): void
  close(): void
}

const MEGABYTES = 48
const CHUNKS = [1 << 20, 1 << 12, 1]

/** Mounts a tmpfs if one is needed and this process may mount it. Otherwise it is an ordinary folder. */
export function smallDisk(isNeeded: boolean): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-storm-'))
  const options = ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m,mode=700`]
  const mounted = isNeeded ? spawnSync('mount', [...options, 'tmpfs', folder]) : undefined
  const isMounted = mounted?.status === 0
  const filler = join(folder, 'filler')
  return {
    folder,
    ...(!isMounted && { why: `mount: ${mounted?.error?.message ?? String(mounted?.stderr).trim()}` }),
    fill: (freeBytes = 0) => {
      const file = openSync(filler, 'w')
      for (const bytes of CHUNKS) while (hasWritten(file, bytes)) {}
      ftruncateSync(file, fstatSync(file).size - freeBytes)
      closeSync(file)
    },
    free: () => rmSync(filler, { force: true }),
    close: () => {
      if (isMounted) spawnSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function hasWritten(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false
    throw error
  }
}
