import type { Terminal } from './terminal.ts'

/** Lines for a reader that may lag: what waits for it is bounded, and the newest of what is replaced anyway. */
export interface BoundedLines {
  /** A line of its own. Of a reader that lags, the oldest ones are dropped and counted. */
  each(line: string): void
  /**
   * A line that replaces the one before if that still waits. Made when it can be written; without one there is nothing
   * to say.
   */
  newest(make: () => string | undefined): void
  /** Writes what waits, whatever the reader does. */
  end(): void
}

/** Lines that wait for a reader at most. The longest events have some hundred characters. */
export const MAX_WAITING_LINES = 1_000

export interface BoundedLinesDeps extends Pick<Terminal, 'out' | 'onDrain'> {
  /** Told once for each time that the reader lagged, when it reads again. */
  dropped(lines: number): void
}

export function boundedLines({ out, onDrain, dropped }: BoundedLinesDeps): BoundedLines {
  let waiting: string[] = []
  let newest: (() => string | undefined) | undefined
  let isLagging = false
  let droppedLines = 0

  /** Stops where the reader lags again, unless it is the end. */
  function write(isEnd = false): void {
    const mayGoOn = () => isEnd || !isLagging
    while (mayGoOn() && waiting.length > 0) isLagging = !out(waiting.shift() ?? '')
    if (!mayGoOn() || newest === undefined) return
    const line = newest()
    newest = undefined
    if (line !== undefined) isLagging = !out(line)
  }

  const cancel = onDrain(() => {
    isLagging = false
    const lines = droppedLines
    droppedLines = 0
    if (lines > 0) dropped(lines)
    write()
  })

  return {
    each: (line) => {
      waiting.push(line)
      if (waiting.length > MAX_WAITING_LINES) {
        waiting.shift()
        droppedLines += 1
      }
      write()
    },
    newest: (make) => {
      newest = make
      write()
    },
    end: () => {
      cancel()
      write(true)
      waiting = []
    },
  }
}
