import type { Observation } from '../../app/service/headers.ts'
import type { StreamState } from '../../app/streams/life-cycle.ts'
import type { Tapped } from '../api/quota-tap.ts'

/** The body of a response that opens no stream, as received. The body may repeat the token. */
export interface RefusalBody {
  readonly bytes: Buffer
  /** Whether the body is complete. */
  readonly isWhole: boolean
  /** The access token of the request. */
  readonly token: string
}

/** A response that opens no stream. */
export interface RefusedStream {
  readonly observation: Observation
  readonly body: RefusalBody
  readonly tapped: Tapped
}

/** The programs that read one stream, each with its number of readers. */
export type ReadBy = readonly { readonly program: string; readonly readers: number }[]

/** The readers of one stream of the service, other than Headroom itself. */
export interface StreamReaders {
  /** Called when a connection has opened. All further data comes from it. */
  opened(observation: Observation): void
  /** Called with bytes of the stream, as received. */
  heard(bytes: Uint8Array): void
  /** Called when the service responded without opening the stream. */
  refused(answer: RefusedStream): void
  /** Called after each change of the stream's state. */
  became(state: StreamState): void
  readonly readBy: ReadBy
}
