import type { StreamProposal } from '../../app/streams/slot-proposal.ts'
import { sinceWords } from './durations.ts'
import { rateWords } from './rates.ts'

/** `MSFT, open for 2 h 14 m, 0.4/s`: enough to judge whether that stream can be given up. */
export function proposalWords({ target, openedAt, framesPerSecond }: StreamProposal, nowMs: number): string {
  const rate = rateWords(framesPerSecond)
  return `${target}, open for ${sinceWords(openedAt, nowMs)}, ${rate === '—' ? 'silent' : rate}`
}
