import type { Page } from '@playwright/test'

const STEP_MS = 250

/** How late something was at most, in milliseconds. */
export interface Lateness {
  /** Since the last time that it was asked; what is late by now included. */
  takeMs(): Promise<number>
  end(): void
}

/** Asks `url` four times a second: what its process answers late, it may push late as well. */
export function latenessOfProcess(url: string): Lateness {
  let answeredMs = performance.now()
  let longestMs = 0
  const lateMs = () => Math.max(longestMs, performance.now() - answeredMs - STEP_MS)
  const noteAnswer = () => {
    longestMs = lateMs()
    answeredMs = performance.now()
  }
  const ask = () => fetch(url).then((answer) => answer.text())
  // What ends before its last answer is no longer looked at.
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

/** Sets timers in the page four times a second: by as much the window's own clock may be late. */
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
