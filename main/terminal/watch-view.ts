import type { LoggedEvent } from '../../app/contract/events.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { type BoundedLines, boundedLines } from './bounded-lines.ts'
import { printable } from './cells.ts'
import { eventLine } from './event-line.ts'
import { renderTable } from './table.ts'
import type { Screen, Terminal } from './terminal.ts'

/** How `watch` shows what it is told. */
export interface WatchView {
  snapshot(snapshot: Snapshot): void
  event(event: LoggedEvent): void
  /** What the app speaks up about by itself. */
  alert(line: string): void
  end(): void
}

const PLAIN_COLUMNS = 100
const PLAIN_GAP_MS = 5000
const KEPT_EVENTS = 20
const KEPT_ALERTS = 3

/** Screens are redrawn in place; a file or a pipe gets lines. */
export function watchView(terminal: Terminal, json: boolean): WatchView {
  if (!json && terminal.screen !== undefined) return liveView(terminal.screen)
  const lines = boundedLines({
    ...terminal,
    dropped: (count) => terminal.error(`stdout is read too slowly: ${count} lines were left out`),
  })
  return json ? jsonView(lines) : plainView(lines)
}

/** One object per line; the fields are INTERFACES.md's. */
export function jsonView(lines: BoundedLines): WatchView {
  return {
    snapshot: (snapshot) => lines.newest(() => JSON.stringify({ type: 'snapshot', ...snapshot })),
    event: (event) => lines.each(JSON.stringify({ type: 'event', ...event })),
    // Programs read the snapshots and judge for themselves.
    alert: () => {},
    end: () => lines.end(),
  }
}

function liveView(screen: Screen): WatchView {
  const events: LoggedEvent[] = []
  const alerts: string[] = []
  return {
    snapshot: (snapshot) => {
      const { colour } = screen
      // The cursor stands on a line of its own below what was drawn.
      const rows = screen.rows() - alerts.length - 1
      const look = { columns: screen.columns(), rows, colour }
      const table = renderTable(snapshot, events, snapshot.at, look)
      screen.draw([table, ...alerts].join('\n'))
    },
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
  let drawnMs = Number.NEGATIVE_INFINITY
  const stamp = (atMs: number) => new Date(atMs).toISOString()
  return {
    snapshot: (snapshot) => {
      const { at } = snapshot
      if (at - drawnMs < PLAIN_GAP_MS) return
      drawnMs = at
      const look = { columns: PLAIN_COLUMNS, colour: false }
      lines.newest(() => `${stamp(at)}\n${renderTable(snapshot, [], at, look)}\n`)
    },
    event: (event) => lines.each(`${stamp(event.at)}  ${eventLine(event, event.at)}`),
    alert: (line) => lines.each(`! ${printable(line)}`),
    end: () => lines.end(),
  }
}
