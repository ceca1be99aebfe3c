import type { RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import { isStale } from '../../app/quota/stale.ts'
import { untilText } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'
import type { Severity } from '../../app/status/severity.ts'

/** The one sentence a trader looks for, and the line under it that says why. */
export interface VerdictSentence {
  readonly severity: Severity
  readonly headline: string
  readonly detail: string
}

export function verdictSentence(snapshot: Snapshot, nowMs: number): VerdictSentence {
  const { verdict } = snapshot
  const row = snapshot.requests.find((quota) => quota.category === verdict.category)
  switch (verdict.kind) {
    case 'unknown':
      if (isOld(snapshot, nowMs)) {
        return {
          severity: 'unseen',
          headline: 'Nothing seen lately.',
          detail: 'What is left is reckoned from headers that are minutes old.',
        }
      }
      return {
        severity: 'unseen',
        headline: 'Nothing seen yet.',
        detail: "The limits below are the service's standard table, until an answer's headers say more.",
      }
    case 'lasts':
      return { severity: 'ok', headline: 'All quotas last.', detail: tightest(snapshot.requests) }
    case 'near-limit':
      return {
        severity: 'watch',
        headline: `${nameOf(verdict.category)} is near its limit. ${rest(snapshot)}`,
        detail: row ? `${who(row)} ${moreComes(row)}` : '',
      }
    case 'runs-out': {
      const atMs = verdict.at ?? row?.emptyAt
      const when = atMs === undefined ? 'soon' : `in ${untilText(atMs, nowMs)}`
      return {
        severity: 'watch',
        headline: `${nameOf(verdict.category)} runs out ${when} at this rate. ${rest(snapshot)}`,
        detail: row ? `${who(row)} ${moreComes(row)}` : '',
      }
    }
    case 'blocked': {
      const untilMs = verdict.at ?? row?.blockedUntil
      const until = untilMs === undefined ? '' : ` to ${clockText(untilMs)}`
      return {
        severity: 'critical',
        headline: `${nameOf(verdict.category)} is held${until}. ${rest(snapshot)}`,
        detail:
          untilMs === undefined || untilMs <= nowMs
            ? 'The service refused a request with 429.'
            : `The service refused a request with 429. The next can be made in ${untilText(untilMs, nowMs)}.`,
      }
    }
  }
}

/** What a screen reader is told: changes of the verdict, not each second of its countdown. */
export function spokenVerdict(snapshot: Snapshot): string {
  const name = nameOf(snapshot.verdict.category)
  switch (snapshot.verdict.kind) {
    case 'unknown':
      return isOld(snapshot, snapshot.at) ? 'Nothing seen lately.' : 'Nothing seen yet.'
    case 'lasts':
      return 'All quotas last.'
    case 'near-limit':
      return `${name} is near its limit.`
    case 'runs-out':
      return `${name} runs out at this rate.`
    case 'blocked':
      return `${name} is held after a 429.`
  }
}

const isOld = ({ requests }: Snapshot, nowMs: number) => requests.some((quota) => isStale(quota, nowMs))

const nameOf = (category: string | undefined) => category ?? 'A category'

/** What the other categories do, in one short sentence. One that is only near its limit lasts all the same. */
function rest(snapshot: Snapshot): string {
  const others = snapshot.requests.filter(
    ({ category, verdict }) =>
      category !== snapshot.verdict.category && (verdict === 'runs-out' || verdict === 'blocked'),
  )
  const [only] = others
  if (only === undefined) return 'The rest lasts.'
  if (others.length > 1) return `${others.length} others run out or are held too.`
  return only.verdict === 'blocked' ? `${only.category} is held too.` : `${only.category} runs out too.`
}

function who({ use }: RequestQuota): string {
  if (use === null || use.total < 0.05) return 'Nobody is using it now.'
  const total = use.total.toFixed(1)
  if (use.elsewhere < 0.05) return `This app makes all of its ${total} requests a second.`
  if (use.own < 0.05) return `Other programs make all of its ${total} requests a second.`
  return `Other programs make ${use.elsewhere.toFixed(1)} of its ${total} requests a second.`
}

function moreComes(quota: RequestQuota): string {
  const full = quota.fullAt === undefined ? '' : `full at ${clockText(quota.fullAt)} if use stops.`
  if (quota.model === 'fixed') {
    return quota.windowEndsAt === undefined
      ? 'None returns before its window ends.'
      : `None returns before its window ends at ${clockText(quota.windowEndsAt)}.`
  }
  const every = `One returns every ${secondsEach(quota)} s`
  return full === '' ? `${every}.` : `${every}; ${full}`
}

/** `0.94`, `0.6`, `2` */
const secondsEach = (quota: RequestQuota) => String(Number((quota.period / quota.limit).toFixed(2)))

function tightest(requests: readonly RequestQuota[]): string {
  let least: RequestQuota | undefined
  for (const quota of requests) {
    if (quota.source === 'default') continue
    if (least === undefined || quota.level / quota.limit < least.level / least.limit) least = quota
  }
  if (least === undefined) return ''
  return `Tightest: ${least.category}, ${Math.floor((least.level / least.limit) * 100)} % left.`
}
