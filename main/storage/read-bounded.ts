import { closeSync, openSync, readSync } from 'node:fs'

/**
 * Reads a file as text; `undefined` if it is longer than `maxBytes`. Throws the error of the system.
 *
 * No more than that is read, because the size of a pipe, such as a shell's `<(…)`, or a device is not known before.
 */
export function readBounded(path: string, maxBytes: number): string | undefined {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = readSync(file, bytes, length, bytes.length - length, null)
    }
    return length > maxBytes ? undefined : bytes.toString('utf8', 0, length)
  } finally {
    closeSync(file)
  }
}
