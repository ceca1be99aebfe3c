import { closeSync, fchmodSync, renameSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openPrivately, PRIVATE_MODE } from '../storage/private-files.ts'
import { systemErrorText } from '../storage/system-error.ts'
import type { Log } from './ports.ts'
import type { Redactor } from './redactor.ts'

const MAX_BYTES = 1_000_000

/** Where finished lines go. */
export type LogSink = (line: string) => void

/** Every line passes the redactor, whatever the sink. */
export function redactedLog(redactor: Redactor, wallMs: () => number, sink: LogSink): Log {
  return {
    note(line, fields = {}) {
      const clean = redactor.fields(fields)
      const tail = Object.keys(clean).length > 0 ? ` ${redactor.text(JSON.stringify(clean))}` : ''
      // One line each, so that a server's words cannot forge a line of their own.
      const text = `${redactor.text(line)}${tail}`.replace(/\p{Cc}+/gu, ' ')
      sink(`${new Date(wallMs()).toISOString()} ${text}`)
    },
  }
}

/**
 * `headroom.log` in the data folder, and the one before it: never more than twice the bound.
 *
 * A disk that does not take the log must not stop the monitor: it is said once, on `complain`.
 */
export function fileSink(folder: string, complain: (line: string) => void, mostBytes = MAX_BYTES): LogSink {
  const file = join(folder, 'headroom.log')
  let size = sizeOf(file)
  let complained = false
  return (line) => {
    const entry = `${line}\n`
    const bytes = Buffer.byteLength(entry)
    try {
      if (size > 0 && size + bytes > mostBytes) {
        renameSync(file, join(folder, 'headroom.1.log'))
        size = 0
      }
      append(file, entry)
      size += bytes
    } catch (error) {
      if (!complained) complain(`the log cannot be written: ${systemErrorText(error)}`)
      complained = true
    }
  }
}

function append(file: string, entry: string): void {
  const handle = openPrivately(file, 'append')
  try {
    // One of an earlier version may be readable by others.
    if (process.platform !== 'win32') fchmodSync(handle, PRIVATE_MODE)
    const bytes = Buffer.from(entry)
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
  } finally {
    closeSync(handle)
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
