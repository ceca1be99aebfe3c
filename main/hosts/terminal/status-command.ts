import type { WindowSummary } from '../../../app/contract/windows.ts'
import { dayAndClockText } from '../../../app/status/moments.ts'
import type { RunningAnswer } from '../../control/ask-running.ts'
import type { ControlRequest } from '../../control/protocol.ts'
import { NO_HOME } from '../../storage/data-folder.ts'
import type { StatusFlags } from './flags.ts'
import { snapshotLine } from './json-lines.ts'
import { renderTable } from './table.ts'
import { EXIT_FAILURE, EXIT_OK, type Terminal } from './terminal.ts'

export interface StatusDeps {
  readonly terminal: Terminal
  readonly defaultDataFolder: () => string | undefined
  /** Sends a request to the app that runs on this data folder. */
  askRunning(dataFolder: string, request: ControlRequest): Promise<RunningAnswer>
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
  const folder = flags.data ?? deps.defaultDataFolder()
  if (folder === undefined) {
    terminal.error(NO_HOME)
    return EXIT_FAILURE
  }
  const asked = await deps.askRunning(folder, { do: 'status' })
  switch (asked.kind) {
    case 'nobody':
      terminal.error(`no Headroom is running on ${folder}; start it with headroom start`)
      return EXIT_FAILURE
    case 'failed':
      terminal.error(`can't reach the running Headroom: ${asked.why}`)
      return EXIT_FAILURE
    case 'answered':
      break
  }
  deps.showTimesOf(folder)
  const { answer } = asked
  if (!answer.ok || !('snapshots' in answer)) {
    terminal.error(
      answer.ok ? 'unexpected response from the running Headroom; is it the same version?' : answer.message,
    )
    return EXIT_FAILURE
  }
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
