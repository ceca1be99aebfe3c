import type { Terminal } from './terminal.ts'

/** Writes lines to a reader that may be slow, with a bounded queue. */
export interface BoundedLines {
  /** Writes one line. If the reader is slow, the oldest lines are dropped and counted. */
  each(line: string): void
  /**
   * Queues a line that `make` creates when the line can be written. A later call replaces a line that is
   * still waiting. If `make` returns `undefined`, nothing is written.
   */
  newest(make: () => string | undefined): void
  /** Writes everything that is waiting, even if the reader is slow. */
  end(): void
}

/** Maximum number of waiting lines. The longest events have a few hundred characters. */
export const MAX_WAITING_LINES = 1_000

export interface BoundedLinesDeps extends Pick<Terminal, 'out' | 'onDrain'> {
  /**
   * Called when a slow reader continues. `lines`: the number of lines that were dropped while it was slow.
   */
  dropped(lines: number): void
}

/** Creates the queue between a command and stdout. */
export function boundedLines({ out, onDrain, dropped }: BoundedLinesDeps): BoundedLines {
  let waiting: string[] = []
  let newest: (() => string | undefined) | undefined
  let isLagging = false
  let droppedLines = 0

  /** Writes until the reader is slow again. At the end, writes everything. */
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
