import { CURRENT_REQUEST_QUOTAS, PROBED_CATEGORIES } from '../../../app/service/categories.ts'
import { chanceFrom } from '../../app/quota/chance.ts'
import { figuresOf } from './figures.ts'
import { mixOf, timedKind } from './kinds.ts'
import { livedKey } from './live-key.ts'

/**
 * One key. Without `firstProgram`, each quota that checks can reach has a kind of traffic drawn from the
 * seed. With it, the quotas have the programs of `timedKind` from that number on.
 */
export interface MixOrder {
  readonly seed: number
  readonly firstProgram?: number
  readonly minutes: number
}

const QUOTAS = CURRENT_REQUEST_QUOTAS.filter(({ category }) => PROBED_CATEGORIES.includes(category))

process.on('message', ({ seed, minutes, firstProgram }: MixOrder) => {
  const kinds =
    firstProgram === undefined
      ? mixOf(QUOTAS, chanceFrom(seed))
      : QUOTAS.map((quota, index) => ({
          category: quota.category,
          kind: timedKind(quota, firstProgram + index),
        }))
  const key = { kinds, seed, seconds: minutes * 60, ...(firstProgram !== undefined && { firstProgram }) }
  void livedKey(key).then((looks) => process.send?.(looks.map(figuresOf)))
})
