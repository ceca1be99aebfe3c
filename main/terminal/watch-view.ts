import type { LoggedEvent } from '../../app/contract/events.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { eventLine } from './event-line.ts'
import { renderTable } from './table.ts'
import type { Screen, Terminal } from './terminal.ts'

/** How `watch` shows what it is told. */
export interface WatchView {
  snapshot(snapshot: Snapshot): void
  event(event: LoggedEvent): void
  end(): void
}

const PLAIN_COLUMNS = 100
const PLAIN_GAP_MS = 5000
const KEPT_EVENTS = 20

/** Screens are redrawn in place; a file or a pipe gets lines. */
export function watchView(terminal: Terminal, json: boolean): WatchView {
  if (json) return jsonView(terminal.out)
  return terminal.screen === undefined ? plainView(terminal.out) : liveView(terminal.screen)
}

/** One object per line; the fields are INTERFACES.md's. */
export function jsonView(out: (line: string) => void): WatchView {
  return {
    snapshot: (snapshot) => out(JSON.stringify({ type: 'snapshot', ...snapshot })),
    event: (event) => out(JSON.stringify({ type: 'event', ...event })),
    end: () => {},
  }
}

function liveView(screen: Screen): WatchView {
  const events: LoggedEvent[] = []
  return {
    snapshot: (snapshot) => {
      const { colour } = screen
      screen.draw(renderTable(snapshot, events, snapshot.at, { columns: screen.columns(), colour }))
    },
    event: (event) => {
      events.push(event)
      if (events.length > KEPT_EVENTS) events.shift()
    },
    end: () => screen.keep(),
  }
}

/** Events as they come, and the table every few seconds. */
export function plainView(out: (line: string) => void): WatchView {
  let drawnMs = Number.NEGATIVE_INFINITY
  return {
    snapshot: (snapshot) => {
      if (snapshot.at - drawnMs < PLAIN_GAP_MS) return
      drawnMs = snapshot.at
      out(`${new Date(snapshot.at).toISOString()}`)
      out(`${renderTable(snapshot, [], snapshot.at, { columns: PLAIN_COLUMNS, colour: false })}\n`)
    },
    event: (event) => out(`${new Date(event.at).toISOString()}  ${eventLine(event, event.at)}`),
    end: () => {},
  }
}
