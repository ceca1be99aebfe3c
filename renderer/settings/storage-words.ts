import type { StorageSummary } from '../../app/contract/history.ts'
import { countText } from '../../app/status/rates.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export const RAW_CHOICES = [6 * HOUR_MS, DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS] as const
export const ROLLUP_CHOICES = [7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS, 365 * DAY_MS] as const

/** Includes the present value, which a file may have set to another one. */
export const withChosen = (choices: readonly number[], ms: number): readonly number[] =>
  [...new Set([...choices, ms])].sort((a, b) => a - b)

export function storageWords(storage: StorageSummary): string {
  switch (storage.kind) {
    case 'memory':
      return 'Nothing is kept on this computer: the history is gone when Headroom quits.'
    case 'ok':
      return `Kept on this computer: every sample for ${spanWords(storage.rawMs)}, minutes and events for ${spanWords(storage.rollupMs)}; ${sizeWords(storage.bytes)} now.`
    case 'failing': {
      const lost = storage.lost > 0 ? ` ${countText(storage.lost, 'entry was', 'entries were')} lost.` : ''
      return `The history cannot be written: ${storage.failure}. ${countText(storage.waiting, 'entry waits', 'entries wait')}.${lost}`
    }
  }
}

export const spanWords = (ms: number) =>
  ms < 2 * DAY_MS ? countText(Math.round(ms / HOUR_MS), 'hour') : countText(Math.round(ms / DAY_MS), 'day')

const sizeWords = (bytes: number) =>
  bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`
