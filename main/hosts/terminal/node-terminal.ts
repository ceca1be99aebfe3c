import { createInterface } from 'node:readline/promises'
import { createLogUpdate } from 'log-update'
import { systemErrorText } from '../../storage/system-error.ts'
import type { OutputEnd, Screen, Terminal } from './terminal.ts'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const

/** What a terminal is made of; a process has it all. */
export type TerminalProcess = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'on' | 'off'>

export interface NodeTerminal extends Terminal {
  /** Tells once, when all that was written has left this process or never will, why the last of it did not; and nothing where it did. */
  whenWritten(run: (failure: string | undefined) => void): void
}

/** The terminal of this process; `environment` is what it was started with. */
export function nodeTerminal(own: TerminalProcess, environment: Terminal['environment']): NodeTerminal {
  const { stdin, stdout, stderr } = own
  const { TERM } = environment
  const endListeners = new Set<(end: OutputEnd) => void>()
  let end: OutputEnd | undefined
  stdout.on('error', (error) => {
    end ??= outputEnd(error)
    for (const listener of [...endListeners]) listener(end)
  })
  stderr.on('error', () => {})

  return {
    environment,
    ...(stdout.isTTY && TERM !== 'dumb' && { screen: screenOf(stdout, environment) }),
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    out: (line) => stdout.write(`${line}\n`),
    onDrain: (run) => {
      stdout.on('drain', run)
      return () => void stdout.off('drain', run)
    },
    error: (line) => void stderr.write(`headroom: ${line}\n`),
    // On stderr: what stdout says may be read by a program.
    ...(stderr.isTTY && { bell: () => void stderr.write('\u0007') }),
    ask: async (question) => {
      const lines = createInterface({ input: stdin, output: stderr })
      const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
      const answer = await Promise.race([lines.question(question).catch(() => undefined), ended])
      lines.close()
      return answer
    },
    onStop: (run) => {
      for (const signal of STOP_SIGNALS) own.on(signal, run)
      return () => {
        for (const signal of STOP_SIGNALS) own.off(signal, run)
      }
    },
    onOutputEnd: (run) => {
      endListeners.add(run)
      return () => void endListeners.delete(run)
    },
    whenWritten: (run) => {
      stdout.write('', (error) => {
        // The error of an earlier line, which its event has not told yet.
        if (error && codeOf(error) !== 'ERR_STREAM_DESTROYED') end ??= outputEnd(error)
        run(end?.kind === 'failed' ? end.line : undefined)
      })
    },
  }
}

/** libuv's word for a reader that is gone is EPIPE, on Windows also EOF. */
const READER_GONE = new Set<unknown>(['EPIPE', 'EOF'])

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined)

function outputEnd(error: Error): OutputEnd {
  return READER_GONE.has(codeOf(error))
    ? { kind: 'closed' }
    : { kind: 'failed', line: `stdout cannot be written: ${systemErrorText(error)}` }
}

/** NO_COLOR counts when it is set to anything but nothing (no-color.org). */
function screenOf(stream: NodeJS.WriteStream, { NO_COLOR }: Terminal['environment']): Screen {
  const update = createLogUpdate(stream)
  return {
    // 0 is what a terminal says that was never told its size.
    columns: () => stream.columns || 80,
    rows: () => stream.rows || 24,
    colour: NO_COLOR === undefined || NO_COLOR === '',
    draw: (text) => update(text),
    keep: () => update.done(),
  }
}
