import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { cannotProve, proves } from '../../proof/proves.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

/**
 * PROMISES D1 with the system calls of the process. A kill can't show that data is on the disk, because the
 * system's caches outlive the process.
 */

const COMMITTER = fileURLToPath(new URL('committer.ts', import.meta.url))
const COMMITS = 20
const canTrace = process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0
if (!canTrace) cannotProve('D1', 3, 'no strace to see what reaches the disk')

test.skipIf(!canTrace)(
  'each commit is flushed to disk before it is acknowledged',
  () => {
    const folder = temporaryFolder()
    const trace = join(folder, 'trace')
    const { stdout } = spawnSync(
      'strace',
      [
        '-f',
        '-qq',
        '-e',
        'trace=fsync,fdatasync,write',
        '-s',
        '40',
        '-o',
        trace,
        process.execPath,
        COMMITTER,
        folder,
        String(COMMITS),
      ],
      { encoding: 'utf8' },
    )
    expect(stdout).toContain(`committed ${COMMITS}`)
    let syncs = 0
    let acknowledged = 0
    for (const line of readFileSync(trace, 'utf8').split('\n')) {
      if (/\bf(?:data)?sync\(/.test(line)) syncs += 1
      if (!/write\(1, "committed/.test(line)) continue
      acknowledged += 1
      // One for the intent and one for the token, at least.
      expect([line, syncs >= 2]).toEqual([line, true])
      syncs = 0
    }
    expect(acknowledged).toBe(COMMITS - 1)
    proves('D1', { level: 3, cases: acknowledged })
  },
  60_000,
)
