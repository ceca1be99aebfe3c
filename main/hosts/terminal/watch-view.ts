import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { type BoundedLines, boundedLines } from './bounded-lines.ts'
import { printable } from './cells.ts'
import { TellChanges } from './changes.ts'
import { eventLine } from './event-line.ts'
import { changesLine, eventLine as eventJson, snapshotLine } from './json-lines.ts'
import { renderTable } from './table.ts'
import type { Screen, Terminal } from './terminal.ts'

/** How `watch` shows what it is told. */
export interface WatchView {
  snapshot(snapshot: Snapshot): void
  /** The state it ends in, shown whatever was shown just before. */
  last(snapshot: Snapshot): void
  event(event: LoggedEvent): void
  /** What the app speaks up about by itself. */
  alert(line: string): void
  end(): void
}

const PLAIN_COLUMNS = 100
const PLAIN_GAP_MS = 5000
const KEPT_EVENTS = 20
const KEPT_ALERTS = 3

/** Which lines `watch --json` leaves out. */
export interface Thinning {
  /** At most one snapshot in so many seconds. */
  readonly every?: number
  /** Events alone. */
  readonly events?: true
  /** What changed instead of whole snapshots. */
  readonly changes?: true
}

/** Screens are redrawn in place; a file or a pipe gets lines. */
export function watchView(terminal: Terminal, flags: Thinning & { readonly json?: true }): WatchView {
  if (flags.json !== true && terminal.screen !== undefined) return liveView(terminal.screen)
  const lines = boundedLines({
    ...terminal,
    dropped: (count) => terminal.error(`stdout is read too slowly: ${count} lines were left out`),
  })
  return flags.json === true ? jsonView(lines, flags) : plainView(lines)
}

/** Between two whole snapshots among lines of changes: for a reader that comes later, and as a sign of life. */
const WHOLE_GAP_MS = 60_000

/** One object per line; the fields are those of `json-lines.schema.json`. */
export function jsonView(lines: BoundedLines, { every = 0, events, changes }: Thinning = {}): WatchView {
  const isDue = regularly(every * 1_000)
  const isWholeDue = regularly(WHOLE_GAP_MS)
  const told = new TellChanges()
  /** Made when it is written: a reader that lags is told what changed since what it was given. */
  const lineOf = (snapshot: Snapshot): string | undefined => {
    if (changes === true && !isWholeDue(snapshot.at)) {
      const differing = told.changes(snapshot)
      return differing && changesLine(differing)
    }
    told.whole(snapshot)
    return snapshotLine(snapshot)
  }
  const last = (snapshot: Snapshot) => {
    if (events !== true) lines.newest(() => lineOf(snapshot))
  }
  return {
    snapshot: (snapshot) => {
      if (isDue(snapshot.at)) last(snapshot)
    },
    last,
    event: (event) => lines.each(eventJson(event)),
    // Programs read the snapshots and judge for themselves.
    alert: () => {},
    end: () => lines.end(),
  }
}

/** Whether one of a regular series is due; a clock that was set back does not hold it up. */
function regularly(gapMs: number): (atMs: number) => boolean {
  let dueMs = Number.NEGATIVE_INFINITY
  return (atMs) => {
    if (atMs < dueMs && atMs >= dueMs - gapMs) return false
    dueMs = Math.abs(atMs - dueMs) < gapMs ? dueMs + gapMs : atMs + gapMs
    return true
  }
}

function liveView(screen: Screen): WatchView {
  const events: LoggedEvent[] = []
  const alerts: string[] = []
  const draw = (snapshot: Snapshot) => {
    const { colour } = screen
    // The cursor stands on a line of its own below what was drawn.
    const rows = screen.rows() - alerts.length - 1
    const look = { columns: screen.columns(), rows, colour }
    const table = renderTable(snapshot, events, snapshot.at, look)
    screen.draw([table, ...alerts].join('\n'))
  }
  return {
    snapshot: draw,
    last: draw,
    event: (event) => {
      events.push(event)
      if (events.length > KEPT_EVENTS) events.shift()
    },
    alert: (line) => {
      alerts.push(`! ${printable(line)}`.slice(0, screen.columns() - 1))
      if (alerts.length > KEPT_ALERTS) alerts.shift()
    },
    end: () => screen.keep(),
  }
}

/** Events as they come, and the table every few seconds. */
export function plainView(lines: BoundedLines): WatchView {
  const isDue = regularly(PLAIN_GAP_MS)
  const stamp = (atMs: number) => new Date(atMs).toISOString()
  const look = { columns: PLAIN_COLUMNS, colour: false }
  const last = (snapshot: Snapshot) =>
    lines.newest(() => `${stamp(snapshot.at)}\n${renderTable(snapshot, [], snapshot.at, look)}\n`)
  return {
    snapshot: (snapshot) => {
      if (isDue(snapshot.at)) last(snapshot)
    },
    last,
    event: (event) => lines.each(`${stamp(event.at)}  ${eventLine(event)}`),
    alert: (line) => lines.each(`! ${printable(line)}`),
    end: () => lines.end(),
  }
}
