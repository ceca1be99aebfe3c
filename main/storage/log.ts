import { closeSync, existsSync, fchmodSync, renameSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../ports/ports.ts'
import type { Redactor } from '../ports/redactor.ts'
import { openPrivately, PRIVATE_MODE } from './private-files.ts'
import { systemErrorText } from './system-error.ts'

const MAX_BYTES = 1_000_000

/** The destination of complete lines. */
export type LogSink = (line: string) => void

/** A log whose lines all pass through the redactor. */
export function redactedLog(redactor: Redactor, wallMs: () => number, sink: LogSink): Log {
  return {
    note(line, fields = {}) {
      const clean = redactor.fields(fields)
      const tail = Object.keys(clean).length > 0 ? ` ${redactor.text(JSON.stringify(clean))}` : ''
      // Without line breaks, text from a server can't forge another line.
      const text = `${redactor.text(line)}${tail}`.replace(/\p{Cc}+/gu, ' ')
      sink(`${new Date(wallMs()).toISOString()} ${text}`)
    },
  }
}

/**
 * Writes `headroom.log` in the data folder. A full file is renamed to `headroom.1.log` and replaces any
 * earlier file of that name. Together, the two files have at most twice `mostBytes`.
 *
 * A failed write must not stop the monitor. It is reported once through `complain`.
 */
export function fileSink(folder: string, complain: (line: string) => void, mostBytes = MAX_BYTES): LogSink {
  const file = join(folder, 'headroom.log')
  let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  let complained = false
  return (line) => {
    const entry = `${line}\n`
    const bytes = Buffer.byteLength(entry)
    try {
      if (size > 0 && size + bytes > mostBytes) {
        // A person or a cleaner may have deleted the file. A new file is then created.
        if (existsSync(file)) renameSync(file, join(folder, 'headroom.1.log'))
        size = 0
      }
      append(file, entry)
      size += bytes
    } catch (error) {
      if (!complained) complain(`can't write the log: ${systemErrorText(error)}`)
      complained = true
    }
  }
}

function append(file: string, entry: string): void {
  const handle = openPrivately(file, 'append')
  try {
    // A file from an earlier version may be readable by other users.
    if (process.platform !== 'win32') fchmodSync(handle, PRIVATE_MODE)
    const bytes = Buffer.from(entry)
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
  } finally {
    closeSync(handle)
  }
}
