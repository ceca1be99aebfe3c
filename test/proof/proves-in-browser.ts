import { test } from '@playwright/test'
import type { PromiseId } from './promise-list.ts'
import { recordProof } from './record.ts'

/**
 * Called at the end of a test in a real browser, once its expectations were met, with the number of cases it
 * tried.
 */
export function provesInBrowser(promise: PromiseId | readonly PromiseId[], cases: number): void {
  const { file, titlePath } = test.info()
  // The first of the path is the file.
  const name = titlePath.slice(1).join(' > ')
  for (const id of [promise].flat()) {
    recordProof({ runner: 'playwright', path: file }, name, id, { level: 4, cases })
  }
}
