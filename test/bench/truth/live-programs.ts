import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { NO_COUNT, type OthersCount } from './live-others.ts'
import type { ProgramOrder } from './live-program.ts'

const PROGRAM = fileURLToPath(new URL('live-program.ts', import.meta.url))

/** Others as programs in processes of their own, one for each quota. */
export class LivePrograms {
  readonly #processes: ChildProcess[] = []
  readonly #counts = new Map<string, OthersCount>()

  start(orders: readonly ProgramOrder[]): void {
    for (const order of orders) {
      const program = fork(PROGRAM)
      program.on('message', (count: OthersCount) => this.#counts.set(order.quota.category, count))
      program.send(order)
      this.#processes.push(program)
    }
  }

  countOf(category: string): OthersCount {
    return this.#counts.get(category) ?? NO_COUNT
  }

  stop(): void {
    for (const program of this.#processes) program.disconnect()
  }
}
