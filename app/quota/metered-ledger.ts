import type { RequestQuota } from '../contract/snapshot.ts'
import { Ledger } from './ledger.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface Used {
  own: number
  elsewhere: number
}

/**
 * A ledger that also counts own and others' requests in each category since the app started. A rate could not
 * show later what used the quota at 14:20.
 *
 * Own use includes requests that may have counted. 429s use nothing and are not included.
 */
export class MeteredLedger extends Ledger {
  readonly #used = new Map<string, Used>()

  override lost(...args: Parameters<Ledger['lost']>): ReturnType<Ledger['lost']> {
    const [ticket] = args
    this.#count(ticket.category, 1, 0)
    super.lost(...args)
  }

  override answered(...args: Parameters<Ledger['answered']>): ReturnType<Ledger['answered']> {
    const folded = super.answered(...args)
    const [, , , rejected] = args
    this.#count(folded.category, rejected ? 0 : 1, folded.elsewhere)
    return folded
  }

  override view(nowMs: number): readonly RequestQuota[] {
    const rows: readonly Writable<RequestQuota>[] = super.view(nowMs)
    for (const row of rows) {
      const used = this.#used.get(row.category)
      // `view` returns new objects, so rows may be changed in place.
      if (used) row.used = { own: used.own, elsewhere: Math.floor(used.elsewhere) }
    }
    return rows
  }

  #count(category: string | undefined, own: number, elsewhere: number): void {
    if (category === undefined || (own === 0 && elsewhere === 0)) return
    const used = this.#used.get(category)
    if (used) {
      used.own += own
      used.elsewhere += elsewhere
    } else this.#used.set(category, { own, elsewhere })
  }
}
