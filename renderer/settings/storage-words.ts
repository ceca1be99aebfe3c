import type { StorageSummary } from '../../app/contract/memory-contract.ts'
import { countWords } from '../words/rates.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export function storageWords(storage: StorageSummary): string {
  switch (storage.kind) {
    case 'memory':
      return 'Nothing is kept on this computer: the history is gone when Headroom quits.'
    case 'ok':
      return `Kept on this computer: every sample for ${spanWords(storage.rawMs)}, minutes and events for ${spanWords(storage.rollupMs)}; ${sizeWords(storage.bytes)} now.`
    case 'failing': {
      const lost = storage.lost > 0 ? ` ${countWords(storage.lost, 'entry was', 'entries were')} lost.` : ''
      return `The history cannot be written: ${storage.failure}. ${countWords(storage.waiting, 'entry waits', 'entries wait')}.${lost}`
    }
  }
}

const spanWords = (ms: number) =>
  ms < 2 * DAY_MS ? countWords(Math.round(ms / HOUR_MS), 'hour') : countWords(Math.round(ms / DAY_MS), 'day')

const sizeWords = (bytes: number) =>
  bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`
