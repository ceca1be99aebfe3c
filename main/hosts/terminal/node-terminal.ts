import { fstatSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { createLogUpdate } from 'log-update'
import { systemErrorCode, systemErrorText } from '../../storage/system-error.ts'
import { printable } from './cells.ts'
import { wrapped } from './fit.ts'
import { EXIT_FAILURE, EXIT_OK, type OutputEnd, type Screen, type Terminal } from './terminal.ts'

const CTRL_C = '\u0003'
/** Clears the visible lines and puts the cursor at the top. */
const CLEAR_SCREEN = '\u001b[2J\u001b[H'
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const

export type TerminalProcess = Pick<
  NodeJS.Process,
  'stdin' | 'stdout' | 'stderr' | 'on' | 'off' | 'kill' | 'pid'
>

/** A terminal that also reports when its output has been written. */
export interface NodeTerminal extends Terminal {
  /** Resolves once all output is written. If output could not be written, resolves with the reason. */
  written(): Promise<OutputEnd | undefined>
  /** Whether a signal stopped a command. Its end must not wait for a reader that no longer reads. */
  readonly wasStopped: boolean
}

/** The terminal of this process. `environment` is the environment at its start. */
export function nodeTerminal(own: TerminalProcess, environment: Terminal['environment']): NodeTerminal {
  const { stdin, stdout, stderr } = own
  const { TERM } = environment
  /** Wraps text between words for a person. Text for a file or a pipe is not wrapped. */
  const toWidth = (text: string): string => {
    // A line may quote text from another program, so control characters are removed.
    const lines = text.split('\n').map(printable)
    if (!stderr.isTTY) return lines.join('\n')
    // A terminal whose size was never set reports 0.
    const columns = stderr.columns || 80
    return lines.flatMap((line) => wrapped(line, columns)).join('\n')
  }
  const endListeners = new Set<(end: OutputEnd) => void>()
  let end: OutputEnd | undefined
  let wasStopped = false
  stdout.on('error', (error) => {
    end ??= outputEnd(error)
    for (const listener of [...endListeners]) listener(end)
  })
  stderr.on('error', () => {})
  // In raw mode, Ctrl-C arrives as a character and not as a signal.
  const interrupt = () => void own.kill(own.pid, 'SIGINT')

  return {
    environment,
    ...(stdout.isTTY && TERM !== 'dumb' && { screen: screenOf(stdout, environment) }),
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    out: (line) => stdout.write(`${line}\n`),
    onDrain: (run) => {
      stdout.on('drain', run)
      return () => void stdout.off('drain', run)
    },
    error: (line) => void stderr.write(`${toWidth(`headroom: ${line}`)}\n`),
    // The bell goes to stderr, because a program may read stdout.
    ...(stderr.isTTY && { bell: () => void stderr.write('\u0007') }),
    ask: async (question) => {
      const lines = createInterface({ input: stdin, output: stderr, prompt: toWidth(question) })
      lines.prompt()
      const answer = await nextLine(lines, interrupt)
      // Ctrl-D leaves the cursor behind the question.
      if (answer === undefined) stderr.write('\n')
      return answer
    },
    askSecret: async (question) => {
      if (stdin.isTTY !== true) return nextLine(createInterface({ input: stdin }), interrupt)
      stderr.write(toWidth(question))
      // In raw mode, the terminal does not echo typed characters. readline echoes them to its output, so the
      // output is discarded.
      const lines = createInterface({ input: stdin, output: unseen(), terminal: true })
      const answer = await nextLine(lines, interrupt)
      stderr.write('\n')
      return answer
    },
    onStop: (run) => {
      const stopped = () => {
        wasStopped = true
        run()
      }
      for (const signal of STOP_SIGNALS) own.on(signal, stopped)
      return () => {
        for (const signal of STOP_SIGNALS) own.off(signal, stopped)
      }
    },
    ...(stdin.isTTY === true && {
      onKey: (run: (key: string) => void) => {
        const heard = (bytes: Buffer) => {
          for (const key of bytes.toString('utf8')) {
            if (key === CTRL_C) interrupt()
            else run(key)
          }
        }
        stdin.setRawMode(true)
        stdin.on('data', heard)
        stdin.resume()
        return () => {
          stdin.off('data', heard)
          stdin.setRawMode(false)
          stdin.pause()
        }
      },
    }),
    onOutputEnd: (run) => {
      endListeners.add(run)
      return () => void endListeners.delete(run)
    },
    get wasStopped() {
      return wasStopped
    },
    written: () =>
      new Promise((resolve) => {
        stdout.write('', (error) => {
          // The error may belong to an earlier line. Its `error` event is emitted only after this callback,
          // too late for `resolve`, so `end` is set here.
          if (error && systemErrorCode(error) !== 'ERR_STREAM_DESTROYED') end ??= outputEnd(error)
          resolve(end)
        })
      }),
  }
}

/**
 * Calls `exitSoon` once the reader has all output, even a slow one such as a pager. After a stop, calls it at
 * once, because the reader may never read again. Output that could not be written makes the exit code 1.
 */
export async function endAfterOutput(
  terminal: Pick<NodeTerminal, 'written' | 'wasStopped' | 'error'>,
  own: Pick<NodeJS.Process, 'exitCode'>,
  exitSoon: () => void,
): Promise<void> {
  if (terminal.wasStopped) exitSoon()
  const end = await terminal.written()
  if (end?.kind === 'failed' && own.exitCode === EXIT_OK) {
    terminal.error(end.line)
    own.exitCode = EXIT_FAILURE
  }
  if (!terminal.wasStopped) exitSoon()
}

/** The next line without its line end. `undefined` if the input ends first. Ctrl-C calls `interrupt`. */
const nextLine = (lines: Interface, interrupt: () => void): Promise<string | undefined> =>
  new Promise((resolve) => {
    let line: string | undefined
    lines.once('line', (text) => {
      line = text
      lines.close()
    })
    lines.once('SIGINT', () => {
      // Leaves raw mode, before the signal ends the process.
      lines.close()
      interrupt()
    })
    lines.once('close', () => resolve(line))
  })

/** An output that discards everything. */
const unseen = () => new Writable({ write: (_bytes, _encoding, done) => done() })

/**
 * The error if a file descriptor is the null device, so that output to it is lost. Node also opens the null
 * device in place of a closed descriptor. `undefined` for any other file.
 */
export function discardedEnd(fd: number): OutputEnd | undefined {
  try {
    const { rdev } = statSync(devNull)
    const found = fstatSync(fd)
    if (!found.isCharacterDevice() || found.rdev !== rdev) return undefined
    return { kind: 'failed', line: 'stdout is closed or is the null device' }
  } catch {
    // On Windows, the null device is not a file that can be compared.
    return undefined
  }
}

/** libuv's error codes for a closed pipe: EPIPE and, on Windows, EOF. */
const READER_GONE = new Set<unknown>(['EPIPE', 'EOF'])

function outputEnd(error: Error): OutputEnd {
  return READER_GONE.has(systemErrorCode(error))
    ? { kind: 'closed' }
    : { kind: 'failed', line: `stdout cannot be written: ${systemErrorText(error)}` }
}

/** The screen of a stream. NO_COLOR applies if it is set and not empty (no-color.org). */
function screenOf(stream: NodeJS.WriteStream, { NO_COLOR }: Terminal['environment']): Screen {
  const update = createLogUpdate(stream)
  return {
    // A terminal whose size was never set reports 0.
    columns: () => stream.columns || 80,
    rows: () => stream.rows || 24,
    colour: NO_COLOR === undefined || NO_COLOR === '',
    draw: (text) => update(text),
    onResize: (run) => {
      const resized = () => {
        // A terminal that became narrower wraps the drawing into more lines. `update.clear` removes only the
        // original number of lines, so the whole screen is cleared too.
        update.clear()
        stream.write(CLEAR_SCREEN)
        run()
      }
      stream.on('resize', resized)
      return () => void stream.off('resize', resized)
    },
    keep: () => update.done(),
  }
}
