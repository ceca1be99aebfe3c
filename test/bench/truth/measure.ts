import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Choice, chosenKinds } from './all-kinds.ts'
import type { Figures } from './figures.ts'
import type { Order } from './worker.ts'

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))
const HEAP = ['--max-semi-space-size=64']

export interface Run {
  readonly choice: Choice
  readonly seeds: number
  readonly firstSeed: number
  readonly jobs: number
  readonly done?: (figures: Figures) => void
}

/** The figures of every chosen kind, in their order, measured by `jobs` processes at once. */
export async function measure({ choice, seeds, firstSeed, jobs, done }: Run): Promise<readonly Figures[]> {
  const kinds = chosenKinds(choice)
  const all: Figures[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      const worker = fork(WORKER, { execArgv: HEAP })
      for (let kind = next++; kind < kinds.length; kind = next++) {
        const figures = await answerOf(worker, { choice, kind, firstSeed, seeds })
        all[kind] = figures
        done?.(figures)
      }
      worker.disconnect()
    }),
  )
  return all
}

function answerOf(worker: ChildProcess, order: Order): Promise<Figures> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off('message', heard)
      worker.off('exit', died)
    }
    const heard = (figures: unknown) => {
      settle()
      resolve(figures as Figures)
    }
    const died = () => {
      settle()
      reject(new Error(`the process that measured kind ${order.kind} died`))
    }
    worker.on('message', heard)
    worker.on('exit', died)
    worker.send(order)
  })
}
