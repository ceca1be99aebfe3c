import type { ServerResponse } from 'node:http'

/** Whose reply it is, and whether it is a stream, which does not end by itself. */
export interface OpenReply {
  readonly program: string
  readonly isStream: boolean
}

/** The replies to programs that are being written. */
export class OpenReplies {
  readonly #open = new Map<ServerResponse, OpenReply>()

  get size(): number {
    return this.#open.size
  }

  /** Whether any is written that ends by itself. */
  get hasAnswers(): boolean {
    return [...this.#open.values()].some(({ isStream }) => !isStream)
  }

  begun(reply: ServerResponse, of: OpenReply): void {
    this.#open.set(reply, of)
  }

  ended(reply: ServerResponse): void {
    this.#open.delete(reply)
  }

  /** Ends those of a program at once. */
  cut(program: string): void {
    for (const [reply, open] of [...this.#open]) if (open.program === program) reply.destroy()
  }

  /** Ends all at once. */
  cutAll(): void {
    for (const reply of [...this.#open.keys()]) reply.destroy()
  }
}
