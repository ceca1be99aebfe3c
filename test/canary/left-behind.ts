import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { readDesktopState } from '../../main/hosts/desktop/desktop-state.ts'
import { reportText } from '../../main/hosts/desktop/report.ts'
import type { Trace } from './scan.ts'

export function filesIn(folder: string, when: string): readonly Trace[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .flatMap((name) => [
      { where: `${name} ${when}`, bytes: readFileSync(join(folder, name)) },
      { where: `the name of a file ${when}`, bytes: name },
    ])
}

/**
 * Command-line arguments of a process and of its child processes. Empty where the system does not show them.
 */
export function argumentsOf(pid: number | undefined): readonly Trace[] {
  if (process.platform !== 'linux' || pid === undefined) return []
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [
    { where: `the arguments of process ${pid}`, bytes: readFileSync(`/proc/${pid}/cmdline`) },
    ...children.flatMap((child) => argumentsOf(Number(child))),
  ]
}

/** The running app's answer to one line on its control socket. */
export function controlAnswer(folder: string, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(join(folder, 'control.sock'), () => socket.write(`${request}\n`))
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    socket.on('error', reject).on('close', () => resolve(text))
  })
}

/**
 * The report that a person can save when asking for help. It contains the snapshots of this run and its log
 * file.
 */
export function savedReport(snapshots: readonly Snapshot[], folder: string): string {
  const log = join(folder, 'headroom.log')
  return reportText({
    atMs: Date.now(),
    app: 'version 0.0.0',
    system: process.platform,
    versions: { node: process.versions.node },
    state: readDesktopState({}),
    snapshots,
    log: existsSync(log) ? readFileSync(log, 'utf8') : '',
    paths: [folder],
  })
}
