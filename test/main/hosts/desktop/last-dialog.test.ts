import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showLastDialog } from '../../../../main/hosts/desktop/start-failure.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a timer wakes the app while its last dialog is open, and none is left afterwards', async () => {
  const shown = Promise.withResolvers<{ response: number; checkboxChecked: boolean }>()
  const answer = showLastDialog({ showMessageBox: () => shown.promise }, { message: 'It ended.' })
  expect(vi.getTimerCount()).toBe(1)
  shown.resolve({ response: 1, checkboxChecked: false })
  expect(await answer).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('a dialog that cannot be shown chooses no button, and leaves no timer', async () => {
  const answer = showLastDialog(
    { showMessageBox: () => Promise.reject(new Error('no display')) },
    { message: '' },
  )
  expect(await answer).toBe(-1)
  expect(vi.getTimerCount()).toBe(0)
})
