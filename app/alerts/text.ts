import type { RequestQuota, Snapshot } from '../contract/snapshot.ts'
import { countdownText } from '../status/durations.ts'
import {
  type KeyProblem,
  keyProblems,
  problemAdvice,
  problemDetail,
  problemTitle,
} from '../status/problem-status.ts'
import { leftText, quotaStatus, safeSentence, stateSentence, usageSentence } from '../status/quota-status.ts'
import { capitalised, sentence } from '../status/sentences.ts'
import { streamName as nameOf, slotStatus, streamStatus } from '../status/stream-status.ts'
import { refreshStatus } from '../status/token-status.ts'
import type { AlertKind } from './kinds.ts'

export interface AlertText {
  readonly title: string
  readonly body: string
}

/**
 * Title and body of an alert, by how things stand in `snapshot` at `nowMs`, epoch ms.
 *
 * A notification takes them when it is raised; a window that shows the alert takes them from the present snapshot, so
 * that no countdown stands still and no number is an old one.
 */
export function alertText(kind: AlertKind, subject: string, snapshot: Snapshot, nowMs: number): AlertText {
  const { profile, refresh } = snapshot
  const on = `on ${profile.name}`
  const row = snapshot.requests.find((quota) => quota.category === subject)
  switch (kind) {
    case 'runs-out':
    case 'empty':
    case 'below-threshold':
    case 'blocked':
      return row === undefined ? { title: subject, body: '' } : quotaText(row, on, nowMs)
    case 'capacity-back':
      return { title: `${subject} can be called again`, body: row ? leftSentence(row, on, nowMs) : '' }
    case 'refused':
      return refusedText(subject, row, snapshot, nowMs)
    case 'slots-low': {
      const slots = snapshot.slots.find((quota) => quota.category === subject)
      return {
        title: slots ? `${subject}: ${slotStatus(slots).label || 'slots are free again'}` : subject,
        body: slots
          ? `Of ${slots.limit} slots ${on} this app holds ${slots.own} and other programs ${slots.elsewhere}.`
          : `Few slots are free ${on}.`,
      }
    }
    case 'stream-stale':
      return {
        title: `${streamName(subject, snapshot)} is ${streamStatus({ state: 'stale' }).label}`,
        body: `Connected ${on}, but silent for 15 s; reconnects after 30 s.`,
      }
    case 'stream-restarts':
      return {
        title: `${streamName(subject, snapshot)} keeps restarting`,
        body: `Reconnected three times within ten minutes ${on}.`,
      }
    case 'sign-in-1h':
    case 'sign-in-15min':
      return {
        title: `The sign-in ends${soon(refresh.endsAt, nowMs)}`,
        body: `Sign in again ${on} before then, and nothing stops. No refresh can extend it.`,
      }
    case 'sign-in-required':
      if (refresh.cause === 'misconfigured') {
        return {
          title: `${ofRefresh({ state: 'sign-in-required', cause: 'misconfigured' }, nowMs)}: ${profile.name}`,
          body: `${sentence(refresh.reason ?? 'the sign-in host rejects this API key or secret')} Correct the secret, or connect the right key.`,
        }
      }
      return {
        title: `${ofRefresh({ state: 'sign-in-required' }, nowMs)}: ${profile.name}`,
        body: `${sentence(refresh.reason ?? 'the sign-in has ended')} Sign in to resume checks and streams.`,
      }
    case 'revoke-unconfirmed':
      return {
        title: ofRefresh({ state: 'revoke-unconfirmed' }, nowMs),
        body: `The service has not confirmed it ${on}. Headroom keeps trying; assume the tokens still work.`,
      }
  }
}

function refusedText(
  subject: string,
  row: RequestQuota | undefined,
  snapshot: Snapshot,
  nowMs: number,
): AlertText {
  const { name } = snapshot.profile
  const [whole] = subject === '' ? keyProblems(snapshot, nowMs) : []
  const found: Pick<KeyProblem, 'category' | 'problem' | 'isWhole'> | undefined =
    whole ?? (row?.problem && { category: subject, problem: row.problem, isWhole: false })
  if (found === undefined) return { title: `${subject || name} answers again`, body: '' }
  const { category, problem, isWhole } = found
  return {
    title: problemTitle(isWhole ? undefined : category, problem),
    body: `${problemAdvice(category, problem)} ${problemDetail(problem, nowMs)} On ${name}.`,
  }
}

function streamName(id: string, { streams }: Snapshot): string {
  const stream = streams.find((one) => one.id === id)
  return stream ? nameOf(stream) : 'A stream'
}

/** A row by the word of its state; the body says until when, what is left, who uses it and what is safe. */
function quotaText(row: RequestQuota, on: string, nowMs: number): AlertText {
  const { label } = quotaStatus(row, nowMs)
  const sentences = [
    stateSentence(row, nowMs),
    leftSentence(row, on, nowMs),
    usageSentence(row, nowMs),
    safeSentence(row, nowMs),
  ]
  return { title: `${row.category} ${label}`, body: sentences.filter(Boolean).join(' ') }
}

function leftSentence(row: RequestQuota, on: string, nowMs: number): string {
  return `${leftText(row, nowMs)} of ${row.limit} left ${on}.`
}

/** ` in 4 min 10 s`, or nothing where it is not known. */
function soon(atMs: number | undefined, nowMs: number): string {
  return atMs === undefined ? '' : ` in ${countdownText(atMs - nowMs, 'down')}`
}

/** The label of a state of the refresh token, as a title begins. */
const ofRefresh = (refresh: Parameters<typeof refreshStatus>[0], nowMs: number): string =>
  capitalised(refreshStatus(refresh, nowMs).label)
