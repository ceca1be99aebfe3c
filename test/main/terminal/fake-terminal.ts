import type { Terminal } from '../../../main/terminal/terminal.ts'

export interface FakeTerminal extends Terminal {
  readonly lines: string[]
  readonly errors: string[]
  readonly questions: string[]
  readonly rings: number
  /** Ctrl-C, or a signal. */
  stop(): void
  closeOutput(): void
}

export interface FakeTerminalOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly interactive?: boolean
  readonly answer?: string
}

export function fakeTerminal({
  environment = {},
  interactive = false,
  answer,
}: FakeTerminalOptions = {}): FakeTerminal {
  const lines: string[] = []
  const errors: string[] = []
  const questions: string[] = []
  let rings = 0
  const stops = new Set<() => void>()
  const closes = new Set<() => void>()
  const register = (listeners: Set<() => void>) => (run: () => void) => {
    listeners.add(run)
    return () => void listeners.delete(run)
  }
  const call = (listeners: Set<() => void>) => () => {
    for (const run of [...listeners]) run()
  }
  return {
    environment,
    interactive,
    lines,
    errors,
    questions,
    get rings() {
      return rings
    },
    bell: () => {
      rings += 1
    },
    out: (line) => lines.push(line),
    error: (line) => errors.push(line),
    ask: async (question) => {
      questions.push(question)
      return answer
    },
    onStop: register(stops),
    onOutputClosed: register(closes),
    stop: call(stops),
    closeOutput: call(closes),
  }
}
