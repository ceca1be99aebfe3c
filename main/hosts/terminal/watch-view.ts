import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { type BoundedLines, boundedLines } from './bounded-lines.ts'
import { printable } from './cells.ts'
import { ChangeReporter, eventLine } from './changes.ts'
import { wrapped } from './fit.ts'
import {
  changesLine,
  eventJsonLine as eventJson,
  gatewayReadyLine,
  snapshotLine,
  withHealth,
} from './json-lines.ts'
import { renderTable } from './table.ts'
import type { Screen, Terminal } from './terminal.ts'

export interface WatchView {
  snapshot(snapshot: Snapshot): void
  /** Shows the final state, even immediately after another snapshot. */
  last(snapshot: Snapshot): void
  event(event: LoggedEvent): void
  alert(line: string): void
  /** Handles a typed key. Absent if the output is not redrawn. */
  key?(key: string): void
  serves(url: string): void
  end(): void
}

const PLAIN_COLUMNS = 100
const PLAIN_GAP_MS = 5000
const KEPT_EVENTS = 20
const KEPT_ALERTS = 3

/** Options that reduce the output of `watch --json`. */
export interface Thinning {
  /** Minimum time between two snapshots, in seconds. */
  readonly every?: number
  readonly events?: true
  /** Writes changes instead of whole snapshots. */
  readonly changes?: true
}

/** Selects the view: a redrawn screen, or lines for a file or a pipe. */
export function watchView(
  terminal: Terminal,
  flags: Thinning & { readonly json?: true; readonly gateway?: object },
): WatchView {
  if (flags.json !== true && terminal.screen !== undefined) return liveView(terminal.screen)
  const lines = boundedLines({
    ...terminal,
    dropped: (count) => terminal.error(`stdout is read too slowly: skipped ${count} lines`),
  })
  if (flags.json === true) return jsonView(lines, flags)
  // With a gateway, `watch` usually runs on a server. The server's journal should contain events, not a table
  // every few seconds.
  return plainView(lines, flags.gateway === undefined ? PLAIN_GAP_MS : Number.POSITIVE_INFINITY)
}

/**
 * Interval in milliseconds at which a whole snapshot is written among the lines of changes. Whole snapshots
 * show that the program is alive, and readers that join later can start with them.
 */
const WHOLE_GAP_MS = 60_000

/** Writes one JSON object per line, as `json-lines.schema.json` describes. */
export function jsonView(lines: BoundedLines, { every = 0, events, changes }: Thinning = {}): WatchView {
  const isDue = regularly(every * 1_000)
  const isWholeDue = regularly(WHOLE_GAP_MS)
  const reporter = new ChangeReporter()
  /**
   * Called when the reader can take a line. The changes are computed only at this time, so a slow reader gets
   * all changes since its last line.
   */
  const lineOf = (pushed: Snapshot): string | undefined => {
    const snapshot = withHealth(pushed)
    if (changes === true && !isWholeDue(snapshot.at)) {
      const differing = reporter.changes(snapshot)
      return differing && changesLine(differing)
    }
    reporter.whole(snapshot)
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
    serves: (url) => lines.each(gatewayReadyLine(url)),
    // Alerts are not written, because programs evaluate the snapshots themselves.
    alert: () => {},
    end: () => lines.end(),
  }
}

/** Returns a function that returns true once per `gapMs`, even if the clock is set back. */
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
  let latest: Snapshot | undefined
  let isHelpShown = false
  const draw = (snapshot: Snapshot) => {
    latest = snapshot
    const { colour } = screen
    const columns = screen.columns()
    const below = [...alerts, ...(isHelpShown ? KEY_HELP : [])].flatMap((text) => wrapped(text, columns))
    // One row stays free for the cursor below the drawing.
    const rows = screen.rows() - below.length - 1
    const table = renderTable(snapshot, events, snapshot.at, { columns, rows, colour })
    screen.draw([table, ...below].join('\n'))
  }
  const redraw = () => {
    if (latest) draw(latest)
  }
  const stopResizing = screen.onResize(redraw)
  return {
    key: (key) => {
      if (key !== '?') return
      isHelpShown = !isHelpShown
      redraw()
    },
    snapshot: draw,
    last: draw,
    event: (event) => {
      events.push(event)
      if (events.length > KEPT_EVENTS) events.shift()
    },
    serves: (url) => {
      alerts.push(readyText(url))
    },
    alert: (line) => {
      alerts.push(`! ${printable(line)}`)
      if (alerts.length > KEPT_ALERTS) alerts.shift()
    },
    end: () => {
      stopResizing()
      screen.keep()
    },
  }
}

const readyText = (url: string): string => `gateway ready: ${url}`

const KEY_HELP = ['q  quit     ?  show or hide these keys', 'headroom watch --help lists the flags'] as const

/** Writes events as they occur, and a table every `gapMs`. If `gapMs` is infinite, there is no table. */
export function plainView(lines: BoundedLines, gapMs = PLAIN_GAP_MS): WatchView {
  const isDue = Number.isFinite(gapMs) ? regularly(gapMs) : () => false
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
    serves: (url) => lines.each(readyText(url)),
    alert: (line) => lines.each(`! ${printable(line)}`),
    end: () => lines.end(),
  }
}
