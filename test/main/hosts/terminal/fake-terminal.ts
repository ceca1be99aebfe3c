import type { OutputEnd, Screen, Terminal } from '../../../../main/hosts/terminal/terminal.ts'

export interface FakeTerminal extends Terminal {
  readonly lines: string[]
  readonly errors: string[]
  readonly questions: string[]
  readonly rings: number
  /** Ctrl-C, or a signal. */
  stop(): void
  closeOutput(): void
  /** A full disk, as its line says. */
  failOutput(line: string): void
  /** A slow reader reads no line until asked to. */
  lag(): void
  read(): void
  /** Types a key; only with a screen. */
  press(key: string): void
  /** How many listen for keys. */
  readonly keyListeners: number
}

export interface FakeTerminalOptions {
  /** A screen, with keys: see `press`. */
  readonly screen?: Screen
  readonly environment?: Readonly<Record<string, string>>
  readonly interactive?: boolean
  readonly answer?: string
}

export function fakeTerminal({
  environment = {},
  interactive = false,
  answer,
  screen,
}: FakeTerminalOptions = {}): FakeTerminal {
  const lines: string[] = []
  const errors: string[] = []
  const questions: string[] = []
  let rings = 0
  const stops = new Set<() => void>()
  const drains = new Set<() => void>()
  const ends = new Set<(end: OutputEnd) => void>()
  const keys = new Set<(key: string) => void>()
  let lags = false
  const tellEnd = (end: OutputEnd) => {
    for (const run of [...ends]) run(end)
  }
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
    out: (line) => {
      lines.push(line)
      return !lags
    },
    onDrain: register(drains),
    error: (line) => errors.push(line),
    ask: async (question) => {
      questions.push(question)
      return answer
    },
    askSecret: async (question) => {
      questions.push(question)
      return answer
    },
    onStop: register(stops),
    onOutputEnd: (run) => {
      ends.add(run)
      return () => void ends.delete(run)
    },
    ...(screen && {
      screen,
      onKey: (run: (key: string) => void) => {
        keys.add(run)
        return () => void keys.delete(run)
      },
    }),
    press: (key) => {
      for (const run of [...keys]) run(key)
    },
    get keyListeners() {
      return keys.size
    },
    stop: call(stops),
    closeOutput: () => tellEnd({ kind: 'closed' }),
    failOutput: (line) => tellEnd({ kind: 'failed', line }),
    lag: () => {
      lags = true
    },
    read: () => {
      lags = false
      call(drains)()
    },
  }
}
