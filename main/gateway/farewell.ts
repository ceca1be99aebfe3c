import type { ServerResponse } from 'node:http'
import type { Clock } from '../ports/ports.ts'

/** What the service says before it ends a stream (service 12), and the gateway in its place. */
export const GO_AWAY = '{"StreamStatus":"GoAway"}'

/** How long a reader may take to read what was written to it before the end of its stream. Milliseconds. */
export const FAREWELL_MS = 10_000

/** Ends the reply of a stream with a last line, if there is one, and its connection where that is not read in `FAREWELL_MS`. */
export function farewell(
  reply: ServerResponse,
  line: Uint8Array | string | undefined,
  clock: Pick<Clock, 'after'>,
): void {
  if (reply.destroyed || reply.writableEnded) return
  const cancel = clock.after(FAREWELL_MS, () => reply.destroy())
  reply.once('close', cancel)
  reply.end(line)
}
