import { createHash } from 'node:crypto'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { ElectronRuntime } from './electron-runtime.ts'
import { testCache } from './test-cache.ts'

/**
 * The runtime in a place from which the ordinary user can start it with its sandbox: its own folder, or a
 * copy in the cache.
 *
 * Only root needs the copy: other users can't read a checkout below /root, and the sandbox does not start if
 * it does not belong to root.
 */
export function reachableRuntime(runtime: ElectronRuntime): ElectronRuntime {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return runtime
  const { dist, executable, version } = runtime
  if (isOpenToAll(dist) && isRootsSandbox(sandboxOf(dist))) return runtime
  const { mtimeMs } = statSync(executable)
  const mark = createHash('sha256').update(`${dist} ${version} ${mtimeMs}`).digest('hex').slice(0, 12)
  const copy = join(testCache(), `electron-${version}-${mark}`)
  if (!existsSync(copy)) {
    const half = `${copy}.${process.pid}`
    mkdirSync(dirname(copy), { recursive: true })
    cpSync(dist, half, { recursive: true })
    chownSync(sandboxOf(half), 0, 0)
    chmodSync(sandboxOf(half), 0o4755)
    if (existsSync(copy)) rmSync(half, { recursive: true })
    else renameSync(half, copy)
  }
  return { dist: copy, executable: join(copy, relative(dist, executable)), version }
}

const sandboxOf = (dist: string) => join(dist, 'chrome-sandbox')

function isRootsSandbox(path: string): boolean {
  if (!existsSync(path)) return false
  const { mode, uid } = statSync(path)
  return uid === 0 && (mode & 0o7777) === 0o4755
}

function isOpenToAll(folder: string): boolean {
  const parent = dirname(folder)
  return (statSync(folder).mode & 0o001) !== 0 && (parent === folder || isOpenToAll(parent))
}
