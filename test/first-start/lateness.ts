import type { Page } from '@playwright/test'

const STEP_MS = 250

/** Measures how late something is. */
export interface Lateness {
  /** Maximum lateness in milliseconds since the last call, including anything that is late now. */
  takeMs(): Promise<number>
  end(): void
}

/** Requests `url` four times a second. If the process responds late, its pushes may be late too. */
export function latenessOfProcess(url: string): Lateness {
  let answeredMs = performance.now()
  let longestMs = 0
  const lateMs = () => Math.max(longestMs, performance.now() - answeredMs - STEP_MS)
  const noteAnswer = () => {
    longestMs = lateMs()
    answeredMs = performance.now()
  }
  const ask = () => fetch(url).then((answer) => answer.text())
  // A request that fails because the process has ended does not count.
  const timer = setInterval(() => void ask().then(noteAnswer, () => {}), STEP_MS)
  return {
    takeMs: async () => {
      const takenMs = lateMs()
      longestMs = 0
      return takenMs
    },
    end: () => clearInterval(timer),
  }
}

/** Sets a timer in the page four times a second. If it fires late, the window's own clock may be late too. */
export async function latenessOfPage(page: Page): Promise<Lateness> {
  const own = await page.evaluateHandle((stepMs) => {
    let dueMs = performance.now() + stepMs
    let longestMs = 0
    const lateMs = () => Math.max(longestMs, performance.now() - dueMs)
    const tick = () => {
      longestMs = lateMs()
      dueMs = performance.now() + stepMs
      setTimeout(tick, stepMs)
    }
    setTimeout(tick, stepMs)
    return {
      takeMs: () => {
        const takenMs = lateMs()
        longestMs = 0
        return takenMs
      },
    }
  }, STEP_MS)
  return { takeMs: () => own.evaluate(({ takeMs }) => takeMs()), end: () => {} }
}
