import type { Snapshot } from '../../app/contract/snapshot.ts'
import type { TraySeverity } from './icons/draw.ts'

/** One profile in a line that stays true without being written again: moments, never countdowns. */
export interface TrayLine {
  readonly severity: TraySeverity
  readonly words: string
}

const URGENCY: Readonly<Record<TraySeverity, number>> = { critical: 3, watch: 2, ok: 1, unseen: 0 }

export function trayLine(snapshot: Snapshot): TrayLine {
  const { refresh, service } = snapshot
  switch (refresh.state) {
    case 'sign-in-required':
      return {
        severity: 'critical',
        words: refresh.cause === 'misconfigured' ? 'Key not accepted' : 'Sign in again',
      }
    case 'revoke-unconfirmed':
      return { severity: 'critical', words: 'Revocation not confirmed' }
    case 'revoked':
      return { severity: 'unseen', words: 'Revoked' }
    case 'none':
    case 'valid':
    case 'unconfirmed':
    case 'revoking':
      break
  }
  if (!service.reachable) return { severity: 'watch', words: 'Service unreachable' }
  return verdictLine(snapshot)
}

function verdictLine({ verdict, requests }: Snapshot): TrayLine {
  const name = verdict.category ?? 'A category'
  const at = (word: string) => (verdict.at === undefined ? '' : ` ${word} ${clockTime(verdict.at)}`)
  switch (verdict.kind) {
    case 'unknown':
      return { severity: 'unseen', words: 'Nothing seen yet' }
    case 'lasts':
      return { severity: 'ok', words: `All quotas last${tightest(requests)}` }
    case 'near-limit':
      return { severity: 'watch', words: `${name} is near its limit` }
    case 'runs-out':
      return { severity: 'watch', words: `${name} runs out${at('at')}` }
    case 'blocked':
      return { severity: 'critical', words: `${name} is held${at('to')}` }
  }
}

function tightest(requests: Snapshot['requests']): string {
  const [least] = requests
    .filter(({ source }) => source !== 'default')
    .map(({ category, level, limit }) => ({ category, share: limit > 0 ? level / limit : 0 }))
    .sort((one, other) => one.share - other.share)
  return least === undefined ? '' : ` · tightest: ${least.category} ${Math.floor(least.share * 100)} %`
}

/** The most urgent one speaks for all; among equals the first. */
export function mostUrgent(lines: readonly TrayLine[]): TrayLine {
  const none: TrayLine = { severity: 'unseen', words: 'No key connected' }
  return lines.reduce(
    (most, line) => (URGENCY[line.severity] > URGENCY[most.severity] ? line : most),
    lines[0] ?? none,
  )
}

/** As the window writes moments: local, to the second. */
export function clockTime(atMs: number): string {
  const at = new Date(atMs)
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}
