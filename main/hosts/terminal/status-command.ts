import type { WindowSummary } from '../../../app/contract/windows.ts'
import { dayAndClockText } from '../../../app/status/moments.ts'
import type { StatusFlags } from './flags.ts'
import { snapshotLine } from './json-lines.ts'
import { asked, type RunningAppDeps } from './running-app.ts'
import { renderTable } from './table.ts'
import { EXIT_FAILURE, EXIT_OK } from './terminal.ts'

export interface StatusDeps extends RunningAppDeps {
  /** From now on, shows times of day in the time zone that is set for this data folder. */
  showTimesOf(dataFolder: string): void
  readonly nowMs: () => number
}

const PLAIN_COLUMNS = 100

function windowLine({ id, admittedAt, lastUsedAt, isOpen }: WindowSummary, nowMs: number): string {
  const at = (ms: number) => dayAndClockText(ms, nowMs)
  return `browser ${id}  connected ${at(admittedAt)}, ${isOpen ? 'open' : 'closed'}, last used ${at(lastUsedAt)}`
}

/** Writes the state of the running app: a table for each key, or one line of JSON. */
export async function status(flags: StatusFlags, deps: StatusDeps): Promise<number> {
  const { terminal } = deps
  const { data } = flags
  const answer = await asked(['snapshots'], { request: { do: 'status' }, data }, deps)
  if (answer === undefined) return EXIT_FAILURE
  deps.showTimesOf(data ?? deps.defaultDataFolder() ?? '')
  const { screen } = terminal
  const look = { columns: screen?.columns() ?? PLAIN_COLUMNS, colour: screen?.colour ?? false }
  for (const snapshot of answer.snapshots) {
    if (flags.json === true) terminal.out(snapshotLine(snapshot))
    else {
      terminal.out(`key: ${snapshot.profile.id}`)
      terminal.out(`${renderTable(snapshot, [], snapshot.at, look)}\n`)
    }
  }
  if (flags.json !== true)
    for (const window of answer.windows ?? []) terminal.out(windowLine(window, deps.nowMs()))
  if (answer.snapshots.length === 0 && flags.json !== true) terminal.out('no key is connected')
  return EXIT_OK
}
