import type { OutputEnd, Screen, Terminal } from '../../../../main/hosts/terminal/terminal.ts'

export interface FakeTerminal extends Terminal {
  readonly lines: string[]
  readonly errors: string[]
  readonly questions: string[]
  readonly rings: number
  /** Stops the program, as Ctrl-C or a signal does. */
  stop(): void
  /** Number of listeners for `stop`. Without one, a signal ends the process. */
  readonly stopListeners: number
  closeOutput(): void
  /** Lets the output fail, as on a full disk. `line` is the reported reason. */
  failOutput(line: string): void
  /** From now on, the reader takes no line until `read` is called. */
  lag(): void
  read(): void
  /** Presses a key. Only works with a screen. */
  press(key: string): void
  /** Number of listeners for keys. */
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
    get stopListeners() {
      return stops.size
    },
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
