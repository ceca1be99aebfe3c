import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestModule, TestSpecification } from 'vitest/node'
import { expectedSeconds } from '../longest-first.ts'
import { sendProgress } from './progress.ts'

const tests = fileURLToPath(new URL('..', import.meta.url))
const secondsOf = (moduleId: string) => expectedSeconds(relative(tests, moduleId))

// biome-ignore lint/style/noDefaultExport: Vitest takes a reporter by its path
export default class ProgressReporter implements Reporter {
  #total = 0
  #seconds = 0
  #done = 0
  #secondsDone = 0

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#total = specifications.length
    this.#seconds = specifications.reduce((sum, { moduleId }) => sum + secondsOf(moduleId), 0)
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#done += 1
    this.#secondsDone += secondsOf(moduleId)
    const share = Math.min(1, this.#secondsDone / this.#seconds)
    sendProgress({ done: this.#done, total: this.#total, share })
  }
}
