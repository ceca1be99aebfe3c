import { chanceFrom } from '../../app/quota/chance.ts'
import { type Kind, listedKinds, randomKinds, timedKinds } from './kinds.ts'

/**
 * Selects the kinds of traffic of a run. Each worker gets this choice and makes the same list from it,
 * because a `Process` contains functions and can't be sent to another process.
 */
export interface Choice {
  readonly random: number
  readonly randomSeed: number
  /** Only names with this text. */
  readonly only: string
}

export const chosenKinds = ({ random, randomSeed, only }: Choice): readonly Kind[] =>
  [...listedKinds(), ...timedKinds(), ...randomKinds(random, chanceFrom(randomSeed))].filter(({ name }) =>
    name.includes(only),
  )
