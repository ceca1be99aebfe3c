/** One request as the service saw it. No header, body or query: those may hold secrets. */
export interface LedgerEntry {
  readonly atMs: number
  readonly method: string
  readonly path: string
  readonly category?: string
  /** 0 when no status was sent. */
  readonly status: number
  readonly outcome: 'answer' | 'stream' | 'reset' | 'cut' | 'silence'
  readonly requestId: string
}

const MAX_ENTRIES = 2000

export class Ledger {
  #entries: LedgerEntry[] = []

  add(entry: LedgerEntry): void {
    this.#entries.push({ ...entry, path: entry.path.slice(0, 300) })
    if (this.#entries.length > 2 * MAX_ENTRIES) this.#entries = this.#entries.slice(-MAX_ENTRIES)
  }

  /** The newest, oldest first. */
  entries(): readonly LedgerEntry[] {
    return this.#entries.slice(-MAX_ENTRIES)
  }
}
