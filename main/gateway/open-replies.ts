import type { ServerResponse } from 'node:http'

/** The replies to programs that are being written, and whose each is. */
export class OpenReplies {
  readonly #open = new Map<ServerResponse, string>()

  get size(): number {
    return this.#open.size
  }

  begun(reply: ServerResponse, program: string): void {
    this.#open.set(reply, program)
  }

  ended(reply: ServerResponse): void {
    this.#open.delete(reply)
  }

  /** Ends those of a program at once. */
  cut(program: string): void {
    for (const [reply, of] of [...this.#open]) if (of === program) reply.destroy()
  }

  /** Ends all at once. */
  cutAll(): void {
    for (const reply of [...this.#open.keys()]) reply.destroy()
  }
}
