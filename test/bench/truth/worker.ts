import { type Choice, chosenKinds } from './all-kinds.ts'
import { controlKinds, dailyKinds } from './daily-kinds.ts'
import { tenDays } from './days.ts'
import { added, type Figures, figuresOf } from './figures.ts'
import { afterRestart, restartedKinds } from './restarts.ts'
import { watchedKey } from './watched-key.ts'

/** One kind of traffic over some seeds. */
export interface Order {
  readonly of: 'kind'
  readonly choice: Choice
  readonly kind: number
  readonly firstSeed: number
  readonly seeds: number
}

/** Ten days, or a restart, of one kind of traffic and one seed. `kind`: its index among these kinds. */
export interface LongOrder {
  readonly of: 'daily' | 'control' | 'restart'
  readonly kind: number
  readonly seed: number
}

/** One core's share of a run: measures the kinds that it is sent, one after the other. */
process.on(
  'message',
  (order: Order | LongOrder) => void measured(order).then((found) => process.send?.(found)),
)

function measured(order: Order | LongOrder): Promise<unknown> {
  switch (order.of) {
    case 'kind':
      return figuresOver(order)
    case 'restart':
      return afterRestart(at(restartedKinds(), order.kind), order.seed)
    default: {
      const kinds = order.of === 'daily' ? dailyKinds() : controlKinds()
      return tenDays(at(kinds, order.kind), order.seed, order.seed === 1)
    }
  }
}

async function figuresOver({ choice, kind: index, firstSeed, seeds }: Order): Promise<Figures> {
  const kind = at(chosenKinds(choice), index)
  let figures: Figures | undefined
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const one = figuresOf(await watchedKey(kind, seed, { asksUntold: seed === firstSeed }))
    figures = figures ? added(figures, one) : one
  }
  if (!figures) throw new Error('no seeds')
  return figures
}

function at<T>(all: readonly T[], index: number): T {
  const one = all[index]
  if (!one) throw new Error(`no kind ${index}`)
  return one
}
