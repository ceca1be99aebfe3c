import type { DeskProgram, DeskSummary } from '../contract/desk.ts'
import type { ProgramSummary } from '../contract/snapshot.ts'

/** A program on another machine of the desk. */
export interface OtherMachineProgram
  extends Pick<ProgramSummary, 'name' | 'class' | 'weight' | 'perSecond' | 'waiting' | 'longestWaitMs'> {
  readonly machine: string
  /** The categories that the program uses now or waits for. */
  readonly use: NonNullable<DeskProgram['use']>
}

/** Defaults for values that versions without the shared queue do not report. */
const UNREPORTED = { class: 'normal', weight: 1, waiting: 0, longestWaitMs: 0, use: [] } as const

/**
 * The programs on the desk's other machines, by machine. Only machines that respond count. Empty without a
 * desk.
 */
export function otherMachinesPrograms(desk: DeskSummary | undefined): readonly OtherMachineProgram[] {
  return (desk?.members ?? []).flatMap(({ self, present, name: machine, programs = [] }) =>
    self || !present ? [] : programs.map((program) => ({ ...UNREPORTED, ...program, machine })),
  )
}
