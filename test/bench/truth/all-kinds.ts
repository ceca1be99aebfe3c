import { chanceFrom } from '../../app/quota/chance.ts'
import { type Kind, listedKinds, randomKinds, timedKinds } from './kinds.ts'

/**
 * Which kinds a run is of; a worker makes the same list from it, since a process is code and cannot be sent.
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
