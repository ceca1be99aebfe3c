import type { RowDetails } from '../../app/contract/quotas.ts'
import type { HttpHeaders, RateReading } from '../../app/service/headers.ts'

const MAX_REFUSALS = 20
/** Maximum number of rows in a ledger. Some come from the table of known quotas, some from headers. */
const MAX_ROWS = 160
const MAX_NUMBER = 20

/** Numeric quota headers (service 2.2). Other headers may reveal more than a quota. */
const NUMBERS = [
  'x-ratelimit-limit',
  'x-ratelimit-period',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-concurrency-limit',
  'x-concurrency-remaining',
] as const

interface HeardHeader {
  readonly rate: RateReading
  /** Name of the desk's machine that received the header. */
  readonly from: string
  readonly atMs: number
}

interface Entry {
  refusals: RowDetails['refusals']
  headers: RowDetails['headers']
  oddities: readonly string[]
  atMs: number | undefined
  /** The machine of the desk that received the headers. `undefined` for this machine. */
  from: string | undefined
}

/** Support details for each row: ids of recently rejected requests, and quota headers as received. */
export class RowLog {
  readonly #rows = new Map<string, Entry>()

  answered(category: string, headers: HttpHeaders, oddities: readonly string[], nowMs: number): void {
    const numbers: Record<string, number> = {}
    let hasNumber = false
    for (const name of NUMBERS) {
      const text = headers[name]?.trim() ?? ''
      const value = text === '' || text.length > MAX_NUMBER ? Number.NaN : Number(text)
      if (!Number.isFinite(value)) continue
      numbers[name] = value
      hasNumber = true
    }
    if (!hasNumber && oddities.length === 0) return
    const entry = this.#entry(category)
    if (!entry) return
    entry.headers = numbers
    entry.oddities = oddities
    entry.atMs = nowMs
    entry.from = undefined
  }

  /** Records a header that another machine of the desk received at `atMs`. */
  heard(category: string, { rate, from, atMs }: HeardHeader): void {
    const entry = this.#entry(category)
    if (!entry || (entry.atMs ?? atMs) > atMs) return
    const { limit, periodSeconds, remaining, resetSeconds } = rate
    const values = [limit, periodSeconds, remaining, resetSeconds]
    const known = values.flatMap((value, i) =>
      value === undefined ? [] : [[NUMBERS[i] ?? '', value] as const],
    )
    entry.headers = Object.fromEntries(known)
    entry.oddities = []
    entry.atMs = atMs
    entry.from = from
  }

  refused(category: string, requestId: string | undefined, nowMs: number): void {
    const entry = this.#entry(category)
    if (!entry) return
    const refusal = { at: Math.round(nowMs), ...(requestId !== undefined && { requestId }) }
    entry.refusals = [...entry.refusals.slice(1 - MAX_REFUSALS), refusal]
  }

  detailsOf(category: string): RowDetails {
    const entry = this.#rows.get(category)
    return {
      refusals: entry?.refusals ?? [],
      headers: entry?.headers ?? {},
      oddities: entry?.oddities ?? [],
      ...(entry?.atMs !== undefined && { headersAt: Math.round(entry.atMs) }),
      ...(entry?.from !== undefined && { from: entry.from }),
    }
  }

  #entry(category: string): Entry | undefined {
    let entry = this.#rows.get(category)
    if (!entry && this.#rows.size < MAX_ROWS) {
      entry = { refusals: [], headers: {}, oddities: [], atMs: undefined, from: undefined }
      this.#rows.set(category, entry)
    }
    return entry
  }
}
