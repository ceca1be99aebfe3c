import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Choice, chosenKinds } from './all-kinds.ts'
import { controlKinds, dailyKinds } from './daily-kinds.ts'
import type { Days } from './days.ts'
import type { DaysMeasured } from './days-aims.ts'
import type { Figures } from './figures.ts'
import { type AfterRestart, meanOf, restartedKinds } from './restarts.ts'
import type { LongOrder, Order } from './worker.ts'

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
export function measure({ choice, seeds, firstSeed, jobs, done }: Run): Promise<readonly Figures[]> {
  const orders = chosenKinds(choice).map((_, kind): Order => ({ of: 'kind', choice, kind, firstSeed, seeds }))
  return answersTo<Figures>(orders, jobs, done)
}

/** What ten trading days teach, and what a restart costs, over some seeds. */
export async function measureDays(seeds: number, jobs: number): Promise<DaysMeasured> {
  const orders = (of: LongOrder['of'], kinds: readonly unknown[]): readonly LongOrder[] =>
    kinds.flatMap((_, kind) => Array.from({ length: seeds }, (__, at) => ({ of, kind, seed: at + 1 })))
  const daily = await answersTo<Days>(orders('daily', dailyKinds()), jobs)
  const control = await answersTo<Days>(orders('control', controlKinds()), jobs)
  const restarts = await answersTo<AfterRestart>(orders('restart', restartedKinds()), jobs)
  return { seeds, daily, control, afterRestart: meanOf(restarts) }
}

async function answersTo<Answer>(
  orders: readonly (Order | LongOrder)[],
  jobs: number,
  done?: (answer: Answer) => void,
): Promise<readonly Answer[]> {
  const all: Answer[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      const worker = fork(WORKER, { execArgv: HEAP })
      for (let at = next++; at < orders.length; at = next++) {
        const answer = await answerOf<Answer>(worker, orders[at]!)
        all[at] = answer
        done?.(answer)
      }
      worker.disconnect()
    }),
  )
  return all
}

function answerOf<Answer>(worker: ChildProcess, order: Order | LongOrder): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off('message', heard)
      worker.off('exit', died)
    }
    const heard = (answer: unknown) => {
      settle()
      resolve(answer as Answer)
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
