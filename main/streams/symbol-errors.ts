/** One symbol or account of a stream that the service will not serve; the stream goes on without it. */
export interface SymbolError {
  readonly symbol: string
  readonly error: string
  readonly at: number
}

/** As many as a window shows; the longest list of symbols in one stream has a hundred. */
const MAX_KEPT = 20

/** The latest error of each symbol, in constant memory: the oldest give way. */
export class SymbolErrors {
  readonly #bySymbol = new Map<string, SymbolError>()

  add(symbol: string, error: string, nowMs: number): void {
    this.#bySymbol.delete(symbol)
    this.#bySymbol.set(symbol, { symbol, error, at: Math.round(nowMs) })
    if (this.#bySymbol.size <= MAX_KEPT) return
    const [oldest] = this.#bySymbol.keys()
    if (oldest !== undefined) this.#bySymbol.delete(oldest)
  }

  /** A new connection tells them anew. */
  clear(): void {
    this.#bySymbol.clear()
  }

  get list(): readonly SymbolError[] {
    return [...this.#bySymbol.values()]
  }
}
