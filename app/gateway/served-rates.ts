import type { ProgramClass } from '../contract/programs.ts'
import { type CountedRate, counted, countedFrom, countedPerSecond } from '../quota/rates.ts'
import type { OfferedRequest } from './decisions.ts'
import { SteadyPart } from './steady-part.ts'

/** The program and class of a served request. */
export type Served = Pick<OfferedRequest, 'program' | 'class' | 'weight'>

/** Service rate of one program of a class. */
export interface ServedProgram {
  readonly program: string
  readonly weight: number
  /** Requests per millisecond, over about the last minute. */
  readonly perMs: number
}

interface Kept {
  readonly weight: number
  readonly rate: CountedRate
  readonly steady: SteadyPart
}

/** Minimum rate, in requests per millisecond. Slower programs are dropped. */
const FORGOTTEN_PER_MS = 1 / 600_000

/** Recent service rates in one bucket, by class and program. */
export class ServedRates {
  readonly #byClass: Readonly<Record<ProgramClass, Map<string, Kept>>> = {
    critical: new Map(),
    normal: new Map(),
    background: new Map(),
  }

  add({ program, class: own, weight }: Served, nowMs: number): void {
    const programs = this.#byClass[own]
    const before = programs.get(program)
    const rate = before?.rate ?? countedFrom(nowMs)
    const steady = before?.steady ?? new SteadyPart(1)
    programs.set(program, { weight, rate: counted(rate, nowMs, steady.of(1, nowMs)), steady })
  }

  programsOf(programClass: ProgramClass, nowMs: number): readonly ServedProgram[] {
    const programs = this.#byClass[programClass]
    const served: ServedProgram[] = []
    for (const [program, { weight, rate }] of programs) {
      const perMs = countedPerSecond(rate, nowMs) / 1000
      if (perMs >= FORGOTTEN_PER_MS) served.push({ program, weight, perMs })
      else programs.delete(program)
    }
    return served
  }

  /** Total service rate of a class's programs, in requests per millisecond. */
  perMs(programClass: ProgramClass, nowMs: number): number {
    return this.programsOf(programClass, nowMs).reduce((sum, { perMs }) => sum + perMs, 0)
  }
}
