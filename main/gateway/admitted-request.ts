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
  /** Maximum time that this request may wait for its turn. */
  readonly maxWaitMs: number
  readonly body: Buffer | undefined
  /** Whether the request must not share the response of an equal request. */
  readonly isAlone?: boolean
  readonly reply: ServerResponse
}
