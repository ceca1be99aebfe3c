import type { RequestQuotaDefault } from '../../../app/service/categories.ts'
import { chanceFrom } from '../../app/quota/chance.ts'
import { timedKind } from './kinds.ts'
import { LiveOthers, type OthersAt, type OthersCount } from './live-others.ts'
import { DrawnTraffic } from './process.ts'

/** One program of others on one quota: see `timedKind` and `DrawnTraffic`. */
export interface ProgramOrder {
  readonly at: OthersAt
  readonly quota: RequestQuotaDefault
  readonly index: number
  readonly startMs: number
  readonly seconds: number
  readonly seed: number
}

const REPORT_EVERY_MS = 500

/** A process of its own for each program: sends its requests, and reports how they were answered. */
process.on('message', ({ at, quota, index, startMs, seconds, seed }: ProgramOrder) => {
  const others = new LiveOthers(at)
  const drawn = new DrawnTraffic(timedKind(quota, index).others, startMs, seconds, chanceFrom(seed))
  const report = (): void => {
    const count: OthersCount = others.countOf(quota.category)
    process.send?.(count)
  }
  const timer = setInterval(report, REPORT_EVERY_MS)
  process.on('disconnect', () => {
    clearInterval(timer)
    others.stop()
  })
  void others.start(new Map([[quota.category, drawn]]), () => Date.now())
})
