import { test } from '@playwright/test'
import type { PromiseId } from './promise-list.ts'
import { recordProof } from './record.ts'

/**
 * To be called at the end of a browser test, when its expectations were met. `cases` is the number of cases
 * that the test tried.
 */
export function provesInBrowser(promise: PromiseId | readonly PromiseId[], cases: number): void {
  const { file, titlePath } = test.info()
  // The first element of the path is the file.
  const name = titlePath.slice(1).join(' > ')
  for (const id of [promise].flat()) {
    recordProof({ runner: 'playwright', path: file }, name, id, { level: 4, cases })
  }
}
