import type { FullConfig, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter'
import { sendProgress } from './progress.ts'

// biome-ignore lint/style/noDefaultExport: Playwright takes a reporter by its path
export default class ProgressReporter implements Reporter {
  #total = 0
  #done = 0

  onBegin(_: FullConfig, suite: Suite): void {
    this.#total = suite.allTests().length
  }

  onTestEnd({ retries }: TestCase, { status, retry }: TestResult): void {
    const isLastTry = status === 'passed' || status === 'skipped' || retry === retries
    if (!isLastTry) return
    this.#done += 1
    sendProgress({ done: this.#done, total: this.#total, share: this.#done / this.#total })
  }

  printsToStdio(): boolean {
    return false
  }
}
