/** One request of a program, as the program saw it. Times are epoch milliseconds. */
export interface LoggedRequest {
  readonly id: string
  readonly program: string
  readonly path: string
  readonly sentAtMs: number
  /** Absent until an answer or a broken connection is seen. */
  endedAtMs?: number
  /** Number of heads of responses to it. */
  heads: number
  status?: number
  /** The sender of the response, according to `Proxy-Status`. */
  by?: 'headroom' | 'service'
  /** Why the connection broke before the response was complete. */
  broken?: string
}

/** One stream that was opened for a reader, from its head to its end. */
export interface LoggedStream {
  readonly id: string
  readonly reader: string
  readonly openedAtMs: number
  endedAtMs?: number
  why?: string
}

/** A message from a machine's process. Several messages are sent as one IPC message. */
export type Told =
  | {
      readonly kind: 'sent'
      readonly id: string
      readonly program: string
      readonly path: string
      readonly atMs: number
    }
  /** A head arrived. A second head for the same request is a second answer. */
  | {
      readonly kind: 'head'
      readonly id: string
      readonly status: number
      readonly by: 'headroom' | 'service'
    }
  | { readonly kind: 'again'; readonly id: string }
  | { readonly kind: 'ended'; readonly id: string; readonly atMs: number; readonly broken?: string }
  | { readonly kind: 'opened'; readonly id: string; readonly reader: string; readonly atMs: number }
  | { readonly kind: 'frame'; readonly reader: string; readonly atMs: number }
  | { readonly kind: 'closed'; readonly id: string; readonly atMs: number; readonly why: string }
  /** The machine sends no further request. */
  | { readonly kind: 'rested' }

/** An order to a machine's process. */
export type Order =
  | { readonly do: 'start'; readonly machine: string; readonly port: number }
  | { readonly do: 'scan' }
  | { readonly do: 'rest' }

/** A frame that a reader received. At most one per second and reader is kept. */
export interface LoggedFrame {
  readonly reader: string
  readonly atMs: number
}

/** The reports of the programs on all machines. */
export class ProgramLogs {
  readonly requests = new Map<string, LoggedRequest>()
  readonly streams = new Map<string, LoggedStream>()
  readonly frames: LoggedFrame[] = []
  #rested = 0

  /** Whether this number of machines will send no further requests and all their requests have ended. */
  isAtRest(machines: number): boolean {
    return (
      this.#rested >= machines &&
      [...this.requests.values()].every(({ endedAtMs }) => endedAtMs !== undefined)
    )
  }

  add(told: Told): void {
    switch (told.kind) {
      case 'sent': {
        const { id, program, path, atMs } = told
        this.requests.set(id, { id, program, path, sentAtMs: atMs, heads: 0 })
        return
      }
      case 'head': {
        const request = this.requests.get(told.id)
        if (request) Object.assign(request, { status: told.status, by: told.by, heads: request.heads + 1 })
        return
      }
      case 'again': {
        const request = this.requests.get(told.id)
        if (request) request.heads += 1
        return
      }
      case 'ended': {
        const request = this.requests.get(told.id)
        if (!request) return
        request.endedAtMs = told.atMs
        if (told.broken !== undefined) request.broken = told.broken
        return
      }
      case 'opened':
        this.streams.set(told.id, { id: told.id, reader: told.reader, openedAtMs: told.atMs })
        return
      case 'frame':
        this.frames.push({ reader: told.reader, atMs: told.atMs })
        return
      case 'rested':
        this.#rested += 1
        return
      case 'closed': {
        const stream = this.streams.get(told.id)
        if (stream) Object.assign(stream, { endedAtMs: told.atMs, why: told.why })
        return
      }
    }
  }
}
