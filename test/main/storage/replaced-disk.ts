import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'

/** Replaces calls to the disk until the test has finished. */
export function replaceDisk(calls: Partial<typeof fs>): void {
  const real = Object.fromEntries(Object.entries(fs).filter(([name]) => name in calls))
  const put = (chosen: Partial<typeof fs>) => {
    Object.assign(fs, chosen)
    syncBuiltinESMExports()
  }
  onTestFinished(() => put(real))
  put(calls)
}
