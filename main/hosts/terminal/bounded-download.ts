import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../../ports/ports.ts'

/** The interface that `@electron/get` accepts in place of its own downloader. */
export interface Downloader {
  download(url: string, file: string): Promise<void>
}

/** Limits of a download, and where its progress is written. */
export interface DownloadBounds {
  readonly clock: Pick<Clock, 'after'>
  /** Time limit until the first response headers, redirects included. */
  readonly connectTimeoutMs: number
  /** Writes one line at each tenth of the download. */
  readonly say: (line: string) => void
  readonly stallTimeoutMs?: number
}

/** Time in milliseconds without data after which a download is aborted. */
const STALL_TIMEOUT_MS = 20_000

/** Downloads `url` to `file`. Rejects if no response arrives in time, or if the download stalls. */
export async function fetchTo(
  url: string,
  file: string,
  { clock, connectTimeoutMs, say, stallTimeoutMs = STALL_TIMEOUT_MS }: DownloadBounds,
): Promise<void> {
  const abort = new AbortController()
  const deadline = (ms: number, why: string) => clock.after(ms, () => abort.abort(new Error(why)))
  let cancel = deadline(connectTimeoutMs, `no response within ${connectTimeoutMs / 1000} s`)
  try {
    const answer = await fetch(url, { signal: abort.signal })
    if (!answer.ok || answer.body === null) throw new Error(`the server responded ${answer.status}`)
    const progress = tenths(Number(answer.headers.get('content-length')), say)
    await mkdir(dirname(file), { recursive: true })
    await pipeline(
      Readable.fromWeb(answer.body),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          cancel()
          cancel = deadline(stallTimeoutMs, `no data for ${stallTimeoutMs / 1000} s`)
          progress(chunk.byteLength)
          yield chunk
        }
      },
      createWriteStream(file),
      { signal: abort.signal },
    )
  } catch (error) {
    // The pipeline's own error would only say that it was aborted.
    throw abort.signal.aborted ? abort.signal.reason : error
  } finally {
    cancel()
  }
}

/** Reports each tenth of a download once. Reports nothing if the size is unknown. */
export function tenths(totalBytes: number, say: (line: string) => void): (bytes: number) => void {
  let received = 0
  let said = 0
  return (bytes) => {
    received += bytes
    const tenth = totalBytes > 0 ? Math.min(10, Math.floor((received / totalBytes) * 10)) : 0
    if (tenth > said) say(`… ${tenth * 10} %`)
    said = Math.max(said, tenth)
  }
}
