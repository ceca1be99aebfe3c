import type { RequestQuota, Snapshot, StreamSummary } from '../contract/snapshot.ts'
import { type JudgedRow, worstFirst } from '../quota/verdict.ts'
import { coarseSinceText, countdownText, OUTDATED_AFTER_MS, sinceText } from './durations.ts'
import { clockText, minuteText } from './moments.ts'
import { keyProblems } from './problem-status.ts'
import {
  ANY_MOMENT,
  isStale,
  quotaStatus,
  STALE_AFTER_MS,
  STATE_LABELS,
  safeSentence,
  stateAt,
  stateSentence,
  stateText,
  usageSentence,
} from './quota-status.ts'
import { capitalised, sentence } from './sentences.ts'
import { SEVERITIES, type Severity, urgencyOf } from './severity.ts'
import { isSlotCountCurrent, isStreamSilent, slotStatus } from './stream-status.ts'
import { accessStatus, keystoreTrouble, refreshStatus, SIGN_IN_ENDS_SOON } from './token-status.ts'

/** The parts of a key's health, as the headline lists them. */
export const ASPECTS = ['sign-in', 'service', 'streams', 'slots', 'quotas', 'data'] as const
export type Aspect = (typeof ASPECTS)[number]

/** One state of a key that a person has to know of. */
export interface Finding {
  readonly aspect: Aspect
  readonly severity: Severity
  /** What it is about, where that has a name: a category, `Streams`. */
  readonly subject?: string
  /** The state in a word or three: `running out`, `full`, `Sign in again`. */
  readonly label: string
  /** A countdown or a share; empty where the label says it all. For a surface that is redrawn. */
  readonly note: string
  /** The same without a countdown, for a surface that is written once: `until 14:36:05`. */
  readonly moment: string
  /** Subject, until when and what it means, to be read after the label. */
  readonly text: string
  /** What to do. */
  readonly action: string
  /** Why: who uses it, how old the numbers are. */
  readonly detail: string
  /** The same as label and text in one sentence, for a surface without colour and order. */
  readonly sentence: string
  /** The row, where it is about one. */
  readonly quota?: RequestQuota
}

/** Where severities are equal, the first of these comes first: what a person has to act on before the rest matters. */
const ORDER: readonly Aspect[] = ['sign-in', 'service', 'quotas', 'slots', 'streams', 'data']

/**
 * Everything that is wrong with a key at `nowMs`, epoch ms, the worst first; empty for a healthy key. Without a usable
 * sign-in nothing else of the key is of now, so that comes first whatever its severity.
 */
export function keyFindings(snapshot: Snapshot, nowMs: number): readonly Finding[] {
  const rank = (finding: Finding) => (isDead(finding, snapshot) ? DEAD : urgencyOf(finding.severity))
  return [
    ...signInFindings(snapshot, nowMs),
    ...serviceFindings(snapshot, nowMs),
    ...problemFindings(snapshot, nowMs),
    ...streamFindings(snapshot, nowMs),
    ...slotFindings(snapshot, nowMs),
    ...quotaFindings(snapshot, nowMs),
    ...dataFindings(snapshot, nowMs),
  ].sort((a, b) => rank(b) - rank(a) || ORDER.indexOf(a.aspect) - ORDER.indexOf(b.aspect))
}

/** Ranks above every severity. */
const DEAD = SEVERITIES.length + 1

const isDead = ({ aspect }: Finding, { refresh }: Snapshot): boolean =>
  aspect === 'sign-in' && refresh.state !== 'valid' && refresh.state !== 'unconfirmed'

interface Plain {
  readonly aspect: Aspect
  readonly severity: Severity
  readonly label: string
  readonly text: string
  readonly action: string
  readonly detail?: string
}

const plain = (part: Plain): Finding => ({
  detail: '',
  ...part,
  note: '',
  moment: '',
  sentence: joined(`${part.label}.`, part.text),
})

const joined = (...sentences: readonly string[]) => sentences.filter(Boolean).join(' ')

function signInFindings(snapshot: Snapshot, nowMs: number): readonly Finding[] {
  const { refresh, access } = snapshot
  const keystore = keystoreFindings(snapshot)
  // Tokens that cannot be read are why there is no sign-in; where they only cannot be stored, that comes after it.
  const isCause = snapshot.keystore !== 'unavailable' && snapshot.keystore !== 'unprotected'
  // Why the sign-in is not confirmed, and the access token not renewed.
  const isHostAway = snapshot.signInHost !== undefined
  const found = [
    ...(isCause ? keystore : []),
    ...signInHostFindings(snapshot, nowMs),
    ...(isHostAway && refresh.state === 'unconfirmed' ? [] : refreshFindings(snapshot, nowMs)),
    ...unsavedFindings(snapshot),
    ...(isCause ? [] : keystore),
  ]
  const { severity, label } = accessStatus(access, pushedMs(snapshot, nowMs))
  const isAlive = refresh.state === 'valid' || refresh.state === 'unconfirmed'
  if (isHostAway || !isAlive || access.state === 'none' || severity === 'ok') return found
  const expired = plain({
    aspect: 'sign-in',
    severity,
    label: `Access token ${label}`,
    text: access.expiresAt === undefined ? '' : `It ended at ${clockText(access.expiresAt)}.`,
    action: 'Headroom keeps trying to refresh it; nothing to do yet.',
  })
  return [...found, expired]
}

/** The moment that an old snapshot speaks of: a refresh or a frame that came since then would not be in it. */
function pushedMs({ at }: Snapshot, nowMs: number): number {
  return nowMs - at > OUTDATED_AFTER_MS ? at : nowMs
}

function refreshFindings({ refresh, access }: Snapshot, nowMs: number): readonly Finding[] {
  const { severity, label } = refreshStatus(refresh, nowMs)
  const finding = (text: string, action: string) => [
    plain({ aspect: 'sign-in', severity, label: capitalised(label), text, action }),
  ]
  switch (refresh.state) {
    case 'none':
      return finding('Headroom has no tokens of this key.', 'Sign in to see live numbers.')
    case 'sign-in-required':
      return refresh.cause === 'misconfigured'
        ? finding(
            sentence(refresh.reason ?? 'the service does not accept this API key or secret'),
            'Correct the secret, or connect the right key.',
          )
        : finding(endedText(refresh, nowMs), 'Nothing is lost; streams reopen after you sign in.')
    case 'revoking':
      return finding('Waiting for the service to confirm.', 'Assume the tokens still work until then.')
    case 'revoke-unconfirmed':
      return finding(
        joined(
          refresh.reason === undefined ? '' : sentence(refresh.reason),
          refresh.retryAt === undefined ? '' : `Next try at ${clockText(refresh.retryAt)}.`,
        ),
        'Assume the tokens still work.',
      )
    case 'revoked':
      return finding(
        refresh.revokedAt === undefined
          ? 'Confirmed by the service.'
          : `Confirmed by the service at ${clockText(refresh.revokedAt)}.`,
        'Sign in to use this key again.',
      )
    case 'unconfirmed':
      // The first refresh takes a moment, which is no trouble.
      if (access.state === 'refreshing') return []
      return [
        plain({
          aspect: 'sign-in',
          severity,
          label: `Sign-in ${label}`,
          text: refresh.reason === undefined ? '' : sentence(refresh.reason),
          action: 'Headroom keeps trying; nothing to do yet.',
        }),
      ]
    case 'valid':
      return refresh.endsAt === undefined || severity === 'ok' ? [] : [endsSoon(refresh.endsAt, severity)]
  }

  function endsSoon(endsAt: number, worst: Severity): Finding {
    const left = countdownText(endsAt - nowMs, 'down')
    const text = `The sign-in ends at ${minuteText(endsAt)}, in ${left}.`
    return {
      aspect: 'sign-in',
      severity: worst,
      label: capitalised(SIGN_IN_ENDS_SOON),
      note: left,
      moment: `by ${minuteText(endsAt)}`,
      text,
      action: 'Sign in again before then, and nothing stops.',
      detail: 'No refresh can extend it.',
      sentence: `${capitalised(SIGN_IN_ENDS_SOON)}. ${text}`,
    }
  }
}

function endedText({ endsAt, reason }: Snapshot['refresh'], nowMs: number): string {
  if (endsAt !== undefined && endsAt <= nowMs) return `The sign-in ended at ${minuteText(endsAt)}.`
  return sentence(reason ?? 'the service no longer accepts the refresh token')
}

function unsavedFindings({ refresh }: Snapshot): readonly Finding[] {
  if (refresh.unsaved === undefined) return []
  return [
    plain({
      aspect: 'sign-in',
      severity: 'critical',
      label: 'New refresh token not saved',
      text: sentence(refresh.unsaved),
      action: 'Fix this before you quit, or you must sign in again.',
    }),
  ]
}

function keystoreFindings(snapshot: Snapshot): readonly Finding[] {
  const trouble = keystoreTrouble(snapshot)
  return trouble === undefined ? [] : [plain({ aspect: 'sign-in', ...trouble })]
}

/** Whether the service fails to answer. One that was not asked yet does not. */
export const isServiceAway = ({ reachable, pending }: Snapshot['service']): boolean => !reachable && !pending

/** The label of a service that does not answer. */
export const UNREACHABLE = 'Service unreachable'

/** The label of a sign-in host that does not answer. */
export const SIGN_IN_HOST_UNREACHABLE = 'Sign-in host unreachable'

/** What a person can look at where a host does not answer. */
export const CHECK_NETWORK = 'Check the network, and the VPN or proxy if you use one.'

/** What an unreachable sign-in host means: for how long the key can be used without it. */
export function signInHostEffect({ access }: Pick<Snapshot, 'access'>, nowMs: number): string {
  const { expiresAt } = access
  return expiresAt !== undefined && expiresAt > nowMs
    ? `The access token works until ${clockText(expiresAt)}, and cannot be renewed now.`
    : 'There is no access token now, so nothing is checked.'
}

function signInHostFindings(snapshot: Snapshot, nowMs: number): readonly Finding[] {
  const { signInHost } = snapshot
  if (signInHost === undefined) return []
  const { host, since, retryAt, why } = signInHost
  const effect = signInHostEffect(snapshot, nowMs)
  return [
    {
      ...plain({
        aspect: 'sign-in',
        severity: 'warning',
        label: SIGN_IN_HOST_UNREACHABLE,
        text: `Since ${clockText(since)}. ${effect}`,
        action: joined(CHECK_NETWORK, nextTryAt(retryAt, nowMs)),
        detail: `${host}: ${why}.`,
      }),
      sentence: `${SIGN_IN_HOST_UNREACHABLE} since ${clockText(since)}. ${effect}`,
    },
  ]
}

const nextTryAt = (retryAtMs: number | undefined, nowMs: number): string =>
  retryAtMs === undefined || retryAtMs <= nowMs
    ? 'Headroom keeps trying.'
    : `Next try at ${clockText(retryAtMs)}.`

function serviceFindings({ service }: Snapshot, nowMs: number): readonly Finding[] {
  if (!isServiceAway(service)) return []
  const { since, retryAt, why } = service
  return [
    {
      ...plain({
        aspect: 'service',
        severity: 'warning',
        label: UNREACHABLE,
        text: since === undefined ? `${service.host} does not answer.` : `Since ${clockText(since)}.`,
        action: nextTryAt(retryAt, nowMs),
        detail: joined(why === undefined ? '' : sentence(why), 'Numbers since then are estimates.'),
      }),
      sentence: `${UNREACHABLE}.`,
    },
  ]
}

/** Answers that bring no number: of the token, of the service, or of single rows. */
function problemFindings(snapshot: Snapshot, nowMs: number): readonly Finding[] {
  return keyProblems(snapshot, nowMs)
    .filter(({ isWhole, category }) => isWhole || !isJudgedWorse(category, snapshot, nowMs))
    .map(({ isWhole, problem, severity, label, note, category, ...said }): Finding => {
      const texts = { severity, text: said.sentence, ...said }
      if (!isWhole) return { ...texts, aspect: 'quotas', subject: category, label, note, moment: note }
      const aspect = problem.status === 401 ? 'sign-in' : 'service'
      return { ...texts, aspect, label: `${capitalised(label)} (${note})`, note: '', moment: '' }
    })
}

/** Whether the number of a row says something graver than its last answer. */
function isJudgedWorse(category: string, snapshot: Snapshot, nowMs: number): boolean {
  return judgedRows(snapshot, nowMs).some(({ row, state }) => row.category === category && state !== 'ok')
}

/** What silent streams are about. */
const STREAMS = 'Streams'

function streamFindings(snapshot: Snapshot, nowMs: number): readonly Finding[] {
  const { streams } = snapshot
  const open = streams.filter(({ state }) => state !== 'closed')
  const silent = open.filter((stream) => isStreamSilent(stream, pushedMs(snapshot, nowMs)))
  if (silent.length === 0) return []
  const isAll = silent.length === open.length && open.length > 1
  const label = `${silent.length} of ${open.length} silent`
  const last = lastFrameMs(silent)
  const since = last === undefined ? '' : ` Last data at ${clockText(last)}.`
  const text = `${isAll ? 'No stream brings data.' : `${label} on this key.`}${since}`
  return [
    {
      aspect: 'streams',
      severity: isAll ? 'critical' : 'warning',
      subject: STREAMS,
      label,
      note: last === undefined ? '' : sinceText(last, nowMs),
      moment: last === undefined ? '' : `since ${clockText(last)}`,
      text: isAll ? text : `Streams${since === '' ? '.' : `.${since}`}`,
      action: 'Do not rely on what they showed last.',
      detail: 'Headroom reconnects a stream that stays silent for 30 s.',
      sentence: `Streams: ${label}.${since}`,
    },
  ]
}

function lastFrameMs(streams: readonly StreamSummary[]): number | undefined {
  const times = streams.flatMap(({ lastFrameAt }) => lastFrameAt ?? [])
  return times.length === 0 ? undefined : Math.max(...times)
}

function slotFindings({ slots }: Snapshot, nowMs: number): readonly Finding[] {
  return slots
    .filter((group) => group.free === 0 && isSlotCountCurrent(group, nowMs))
    .map((group): Finding => {
      const { severity, label } = slotStatus(group)
      const { category, limit, own, elsewhere } = group
      return {
        aspect: 'slots',
        severity,
        subject: category,
        label,
        note: `${limit}/${limit}`,
        moment: '',
        text: `${category}: all ${limit} slots are in use.`,
        action: 'Close a stream before you open another.',
        detail: `Headroom uses ${own}, others use ${elsewhere}.`,
        sentence: `${category} is ${label}: all ${limit} slots are in use.`,
      }
    })
}

function quotaFindings(snapshot: Snapshot, nowMs: number): readonly Finding[] {
  return judgedRows(snapshot, nowMs)
    .filter(({ state }) => state !== 'ok')
    .map(({ row }) => quotaFinding(row, nowMs))
}

function quotaFinding(row: RequestQuota, nowMs: number): Finding {
  const { severity, label, note } = quotaStatus(row, nowMs)
  return {
    aspect: 'quotas',
    severity,
    subject: row.category,
    label,
    note,
    moment: momentText(row, nowMs),
    text: stateText(row, nowMs),
    action: actionText(row, nowMs),
    detail: usageSentence(row, nowMs),
    sentence: stateSentence(row, nowMs),
    quota: row,
  }
}

function actionText(row: RequestQuota, nowMs: number): string {
  const { blockedUntil, nextTryAt } = row
  if (stateAt(row, nowMs) === 'blocked' && nextTryAt !== undefined) return 'Slow or stop the other programs.'
  const isBlocked = stateAt(row, nowMs) === 'blocked' && blockedUntil !== undefined && blockedUntil > nowMs
  return isBlocked ? `Hold ${row.category} calls until then.` : safeSentence(row, nowMs)
}

/** Where nothing may count down: `until 14:36:05` after a 429, `about 14:35` for an estimate, the share of what is low. */
function momentText(row: RequestQuota, nowMs: number): string {
  const { state, note, untilMs } = quotaStatus(row, nowMs)
  if (state === 'blocked') return untilMs === undefined ? note : `until ${clockText(untilMs)}`
  if (state !== 'running-out') return note
  return untilMs === undefined || note.startsWith('within') || note === ANY_MOMENT
    ? note
    : `about ${minuteText(untilMs)}`
}

/** The rows that say something of now, the worst first. */
export function judgedRows(snapshot: Snapshot, nowMs: number): readonly JudgedRow[] {
  return worstFirst(snapshot.requests.map((row) => ({ row, state: stateAt(row, nowMs) })))
}

/** What says how fresh the numbers are: the row that the headline is about, else the newest header of any. */
export function freshestMs(snapshot: Snapshot, nowMs: number): number | undefined {
  const [tightest] = judgedRows(snapshot, nowMs)
  return tightest === undefined ? newestHeaderMs(snapshot.requests) : tightest.row.observedAt
}

function dataFindings(snapshot: Snapshot, nowMs: number): readonly Finding[] {
  const [tightest] = judgedRows(snapshot, nowMs)
  const label = STATE_LABELS['not-checked']
  const finding = (texts: Pick<Finding, 'note' | 'moment' | 'text' | 'action' | 'detail' | 'sentence'>) => [
    { aspect: 'data', severity: 'unknown', label, ...texts } as const,
  ]
  if (tightest !== undefined) {
    const { observedAt, category } = tightest.row
    if (observedAt === undefined || !isStale(tightest.row, nowMs)) return []
    const age = coarseSinceText(observedAt, nowMs)
    const text = `The last header of ${category} is ${age} old; its number is an estimate.`
    return finding({
      note: `last data ${age} ago`,
      moment: `last data at ${minuteText(observedAt)}`,
      text,
      action: `Check ${category} now, or call it.`,
      detail: 'Every answer brings a header.',
      sentence: text,
    })
  }
  const newest = newestHeaderMs(snapshot.requests)
  // Answers that bring no number are the reason, and told as that.
  if (keyProblems(snapshot, nowMs).length > 0) return []
  if (newest === undefined) {
    return finding({
      note: NO_DATA,
      moment: NO_DATA,
      text: 'No data yet.',
      action: '',
      detail: 'Limits shown are the documented defaults.',
      sentence: 'No data yet.',
    })
  }
  if (nowMs - newest <= STALE_AFTER_MS) {
    return finding({
      note: 'too few headers yet',
      moment: 'too few headers yet',
      text: TOO_FEW,
      action: '',
      detail: `Last header ${sinceText(newest, nowMs)} ago; others’ use shows from the second one on.`,
      sentence: TOO_FEW,
    })
  }
  const text = `No fresh data. Last header ${coarseSinceText(newest, nowMs)} ago.`
  return finding({
    note: `last data ${coarseSinceText(newest, nowMs)} ago`,
    moment: `last data at ${minuteText(newest)}`,
    text,
    action: '',
    detail: 'Numbers since then are estimates.',
    sentence: text,
  })
}

const NO_DATA = 'no data yet'

/** What is said while headers are fresh, and too few to judge any row by. */
export const TOO_FEW = 'Too few headers yet to judge any quota.'

function newestHeaderMs(requests: readonly RequestQuota[]): number | undefined {
  let newest: number | undefined
  for (const { observedAt } of requests) {
    if (observedAt !== undefined && (newest === undefined || observedAt > newest)) newest = observedAt
  }
  return newest
}
