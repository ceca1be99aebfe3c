import { setTimeout as pause } from 'node:timers/promises'
import { categoryOf } from '../../app/service/categories.ts'
import { chanceFrom } from '../app/quota/chance.ts'
import type { DeskMachine } from './desk-machine.ts'

/** A program that polls some paths in turn. */
export interface PolledPaths {
  readonly paths: readonly string[]
  /** Mean time between two requests, in milliseconds. */
  readonly everyMs: number
}

/** A request that got no response of the service. The service may have counted it. */
interface Unanswered {
  readonly machine: string
  /** Its row, if its path is known. */
  readonly category: string | undefined
  /** When its program noticed, epoch ms. */
  readonly atMs: number
}

/**
 * A program's requests without a response of the service, because its gateway was killed or reported that.
 */
const WITHOUT_RESPONSE = [0, 502, 504]

/** The programs of several machines, each of which polls until `stop`. */
export class DeskPrograms {
  /** Number of responses so far, by status. 0 counts requests without a response. */
  readonly statuses = new Map<number, number>()
  readonly unanswered: Unanswered[] = []
  readonly #ask: (machine: DeskMachine, program: string, path: string) => Promise<number>
  readonly #chance: () => number
  readonly #running: Promise<unknown>
  #isStopped = false

  /**
   * `polls`: the paths that each program polls, by the program's name. All machines have the same programs.
   * `ask` sends a request and resolves to the status of its response, 0 if none came.
   */
  constructor(
    machines: readonly DeskMachine[],
    polls: Readonly<Record<string, PolledPaths>>,
    seed: number,
    ask: (machine: DeskMachine, program: string, path: string) => Promise<number> = askOnce,
  ) {
    this.#ask = ask
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
      const path = paths[at % paths.length] ?? ''
      const status = await this.#ask(machine, program, path)
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
      if (!WITHOUT_RESPONSE.includes(status)) continue
      this.unanswered.push({ machine: machine.name, category: categoryOf('GET', path), atMs: Date.now() })
    }
  }
}

async function askOnce(machine: DeskMachine, program: string, path: string): Promise<number> {
  try {
    const answer = await machine.get(program, path)
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0 // its machine was killed
  }
}
