import { CURRENT_REQUEST_QUOTAS, PROBED_CATEGORIES } from '../../../app/service/categories.ts'
import { chanceFrom } from '../../app/quota/chance.ts'
import { figuresOf } from './figures.ts'
import { mixOf } from './kinds.ts'
import { livedKey } from './live-key.ts'

/** Each quota that checks can ask for has a kind of traffic drawn from the seed. */
export interface MixOrder {
  readonly seed: number
  readonly minutes: number
}

const QUOTAS = CURRENT_REQUEST_QUOTAS.filter(({ category }) => PROBED_CATEGORIES.includes(category))

process.on('message', ({ seed, minutes }: MixOrder) => {
  const kinds = mixOf(QUOTAS, chanceFrom(seed))
  void livedKey({ kinds, seed, seconds: minutes * 60 }).then((looks) => process.send?.(looks.map(figuresOf)))
})
