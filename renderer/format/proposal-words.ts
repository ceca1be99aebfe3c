import type { StreamProposal } from '../../app/contract/streams.ts'
import { sinceText } from '../../app/status/durations.ts'
import { rateText } from '../../app/status/rates.ts'

/** `MSFT, open for 2 h 14 min, 0.4/s`: enough to judge whether that stream can be given up. */
export function proposalWords({ target, openedAt, framesPerSecond }: StreamProposal, nowMs: number): string {
  const rate = rateText(framesPerSecond)
  return `${target}, open for ${sinceText(openedAt, nowMs)}, ${rate === '—' ? 'silent' : rate}`
}
