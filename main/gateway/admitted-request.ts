import type { ServerResponse } from 'node:http'
import type { Program } from './programs.ts'

/** A program's request after the door admitted it. */
export interface AdmittedRequest {
  readonly program: Program
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** As received, undecoded. */
  readonly pathAndQuery: string
  readonly accept: string | undefined
  readonly acceptEncoding: string | undefined
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  /** How long the program lets this request wait for its turn. */
  readonly maxWaitMs: number
  readonly body: Buffer | undefined
  /** Whether it never shares the response of an equal request. */
  readonly isAlone?: boolean
  readonly reply: ServerResponse
}
