import { createInterface } from 'node:readline/promises'
import { createLogUpdate } from 'log-update'
import { takenEnvironment } from './taken-environment.ts'
import type { Screen, Terminal } from './terminal.ts'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const

/** The terminal of this process. */
export function nodeTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  const { TERM } = env
  const closedListeners = new Set<() => void>()
  stdout.on('error', () => {
    // EPIPE: `watch --json | head`. Nothing can be said there any more.
    for (const listener of [...closedListeners]) listener()
  })
  stderr.on('error', () => {})

  return {
    environment: takenEnvironment(env),
    ...(stdout.isTTY && TERM !== 'dumb' && { screen: screenOf(stdout, env) }),
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    out: (line) => void stdout.write(`${line}\n`),
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
      for (const signal of STOP_SIGNALS) process.on(signal, run)
      return () => {
        for (const signal of STOP_SIGNALS) process.off(signal, run)
      }
    },
    onOutputClosed: (run) => {
      closedListeners.add(run)
      return () => closedListeners.delete(run)
    },
  }
}

/** NO_COLOR counts when it is set to anything but nothing (no-color.org). */
function screenOf(stream: NodeJS.WriteStream, { NO_COLOR }: NodeJS.ProcessEnv): Screen {
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
