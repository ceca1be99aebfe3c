import { setTimeout as pause } from 'node:timers/promises'
import { chanceFrom } from '../app/quota/chance.ts'
import type { DeskMachine } from './desk-machine.ts'

/** A program that polls some paths in turn. */
export interface PolledPaths {
  readonly paths: readonly string[]
  /** Mean time between two requests, in milliseconds. */
  readonly everyMs: number
}

/** The programs of several machines, each of which polls until `stop`. */
export class DeskPrograms {
  /** Number of responses so far, by status. 0 counts requests without a response. */
  readonly statuses = new Map<number, number>()
  readonly #chance: () => number
  readonly #running: Promise<unknown>
  #isStopped = false

  /**
   * `polls`: the paths that each program polls, by the program's name. All machines have the same programs.
   */
  constructor(machines: readonly DeskMachine[], polls: Readonly<Record<string, PolledPaths>>, seed: number) {
    this.#chance = chanceFrom(seed)
    this.#running = Promise.all(
      machines.flatMap((machine) =>
        machine.programs.map((program) => {
          const polled = polls[program]
          return polled && this.#poll(machine, program, polled)
        }),
      ),
    )
  }

  /** Resolves once no request is in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #poll(machine: DeskMachine, program: string, { paths, everyMs }: PolledPaths): Promise<void> {
    for (let at = 0; ; at += 1) {
      await pause(everyMs * (0.5 + this.#chance()))
      if (this.#isStopped) return
      if (!machine.isAwake) continue
      const status = await this.#once(machine, program, paths[at % paths.length] ?? '')
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    }
  }

  async #once(machine: DeskMachine, program: string, path: string): Promise<number> {
    try {
      const answer = await machine.get(program, path)
      await answer.arrayBuffer()
      return answer.status
    } catch {
      return 0 // its machine was killed
    }
  }
}
