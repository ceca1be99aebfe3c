import { type Choice, chosenKinds } from './all-kinds.ts'
import { added, type Figures, figuresOf } from './figures.ts'
import { watchedKey } from './watched-key.ts'

/** One kind of traffic over some seeds. */
export interface Order {
  readonly choice: Choice
  readonly kind: number
  readonly firstSeed: number
  readonly seeds: number
}

/** One core's share of a run: measures the kinds that it is sent, one after the other. */
process.on('message', (order: Order) => void measured(order).then((figures) => process.send?.(figures)))

async function measured({ choice, kind: index, firstSeed, seeds }: Order): Promise<Figures> {
  const kind = chosenKinds(choice)[index]
  if (!kind) throw new Error(`no kind ${index}`)
  let figures: Figures | undefined
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const one = figuresOf(await watchedKey(kind, seed, { asksUntold: seed === firstSeed }))
    figures = figures ? added(figures, one) : one
  }
  if (!figures) throw new Error('no seeds')
  return figures
}
