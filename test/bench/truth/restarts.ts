import { comesEmpty } from './emptyings.ts'
import { type Kind, listedKinds } from './kinds.ts'
import { type Watching, watchedKey } from './watched-key.ts'

const RESTART_MINUTE = 60
const COMPARED_MINUTES = 60

/**
 * Brier scores (0 to 1, lower is better) of the forecast "runs out within ten minutes", in the hour after a
 * restart.
 */
export interface AfterRestart {
  /** Without a restart. */
  readonly running: number
  readonly restarted: number
  /** Restarted without what it had learned. */
  readonly forgetful: number
}

/** What a restart costs after an hour of one kind of traffic. Three runs get the same requests. */
export async function afterRestart(kind: Kind, seed: number): Promise<AfterRestart> {
  const score = (restart?: Watching['restart']) => brierOfLastHour(kind, seed, restart)
  const afterLook = RESTART_MINUTE * 60 - 1
  return {
    running: await score(),
    restarted: await score({ afterLook, isForgetful: false }),
    forgetful: await score({ afterLook, isForgetful: true }),
  }
}

async function brierOfLastHour(kind: Kind, seed: number, restart: Watching['restart']): Promise<number> {
  const minutes = RESTART_MINUTE + COMPARED_MINUTES
  const looks = await watchedKey(kind, seed, { asksOracle: false, minutes, ...(restart && { restart }) })
  const comes = comesEmpty(looks)
  let [sum, count] = [0, 0]
  for (let look = RESTART_MINUTE * 60; look < looks.count; look += 1) {
    if (looks.truth[look]! < 1) continue
    sum += (looks.chance[look]! - Number(comes[look])) ** 2
    count += 1
  }
  return count === 0 ? 0 : sum / count
}

/** The kinds of traffic whose restarts are measured: those with others. */
export const restartedKinds = (): readonly Kind[] => listedKinds().filter(({ shape }) => shape !== 'alone')

/** The mean of each score. */
export function meanOf(all: readonly AfterRestart[]): AfterRestart {
  const mean = (of: (one: AfterRestart) => number) => all.reduce((sum, one) => sum + of(one), 0) / all.length
  return {
    running: mean(({ running }) => running),
    restarted: mean(({ restarted }) => restarted),
    forgetful: mean(({ forgetful }) => forgetful),
  }
}
