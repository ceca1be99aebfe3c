import type { Observation } from '../../app/service/headers.ts'
import type { StreamState } from '../../app/streams/life-cycle.ts'
import type { Tapped } from '../api/quota-tap.ts'

/** The body of an answer that opens no stream, as it came: it may repeat the token. */
export interface RefusalBody {
  readonly bytes: Buffer
  /** Whether its end came. */
  readonly isWhole: boolean
  /** The access token that the request was sent with. */
  readonly token: string
}

/** An answer that opens no stream. */
export interface RefusedStream {
  readonly observation: Observation
  readonly body: RefusalBody
  readonly tapped: Tapped
}

/** The programs that read one stream, and how many readers each of them has. */
export type ReadBy = readonly { readonly program: string; readonly readers: number }[]

/** The readers of one stream of the service, beside Headroom itself. */
export interface StreamAudience {
  /** A connection is open: what is heard from here on comes from it. */
  opened(observation: Observation): void
  /** Bytes of the stream, as they came. */
  heard(bytes: Uint8Array): void
  /** The service answered something else than a stream. */
  refused(answer: RefusedStream): void
  /** After each change of the stream's state. */
  became(state: StreamState): void
  readonly readBy: ReadBy
}
