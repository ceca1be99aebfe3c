import type { ServerResponse } from 'node:http'
import type { Program } from './programs.ts'

/** A program's request that the gateway's server (the door) has admitted. */
export interface AdmittedRequest {
  readonly program: Program
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** As received, undecoded. */
  readonly pathAndQuery: string
  readonly accept: string | undefined
  readonly acceptEncoding: string | undefined
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  /** Maximum time that this request may wait in the queue. */
  readonly maxWaitMs: number
  readonly body: Buffer | undefined
  /**
   * Whether the request must get a response of its own. Otherwise it may share the response to an identical
   * request.
   */
  readonly isAlone?: boolean
  readonly reply: ServerResponse
}
