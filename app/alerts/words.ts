import type { Snapshot } from '../contract/snapshot.ts'
import type { AlertKind } from './kinds.ts'

export interface AlertWords {
  readonly title: string
  readonly body: string
}

/** What is said when an episode begins, for a notification and for the list in the window. */
export function alertWords(kind: AlertKind, subject: string, snapshot: Snapshot): AlertWords {
  const { at, profile, refresh } = snapshot
  const on = `on ${profile.name}`
  const row = snapshot.requests.find((quota) => quota.category === subject)
  const left = row ? `${row.remaining} of ${row.limit} requests left` : 'few requests left'
  switch (kind) {
    case 'runs-out':
      return {
        title: `${subject} runs out${soon(row?.emptyAt, at)}`,
        body: `${left} ${on}, and use is faster than the quota refills.`,
      }
    case 'below-threshold':
      return { title: `${subject} is low`, body: `${left} ${on}.` }
    case 'blocked':
      return {
        title: `${subject} is blocked`,
        body: `The service refused a request ${on} (429). Capacity is back${soon(row?.blockedUntil, at) || ' later'}.`,
      }
    case 'capacity-back':
      return { title: `${subject} has capacity again`, body: `${left} ${on}.` }
    case 'slots-low': {
      const slots = snapshot.slots.find((quota) => quota.category === subject)
      const free = slots?.free ?? 0
      return {
        title: `${subject}: ${free === 0 ? 'no slot is free' : `${free} ${free === 1 ? 'slot' : 'slots'} left`}`,
        body: slots
          ? `Of ${slots.limit} slots ${on} this app holds ${slots.own} and other programs ${slots.elsewhere}.`
          : `Few slots are free ${on}.`,
      }
    }
    case 'stream-stale':
      return {
        title: `${streamName(subject, snapshot)} is silent`,
        body: `The connection ${on} stands, but nothing comes. It is opened again if that lasts.`,
      }
    case 'stream-restarts':
      return {
        title: `${streamName(subject, snapshot)} keeps restarting`,
        body: `It was opened again three times within ten minutes ${on}.`,
      }
    case 'sign-in-1h':
    case 'sign-in-15min':
      return {
        title: `Sign in again${soon(refresh.endsAt, at)}`,
        body: `The sign-in ${on} ends then, and no refresh can extend it.`,
      }
    case 'sign-in-required':
      if (refresh.cause === 'misconfigured') {
        return {
          title: `Key not accepted: ${profile.name}`,
          body: `${refresh.reason ?? 'the service does not accept it'}: correct the secret, or connect the right key.`,
        }
      }
      return {
        title: `Sign in again: ${profile.name}`,
        body: refresh.reason ?? 'The sign-in has ended.',
      }
    case 'revoke-unconfirmed':
      return {
        title: 'Revocation not confirmed',
        body: `The service has not confirmed it ${on}. It is tried again; treat the tokens as live.`,
      }
  }
}

function streamName(id: string, { streams }: Snapshot): string {
  const stream = streams.find((one) => one.id === id)
  return stream ? `${stream.category} ${stream.target}` : 'A stream'
}

/** ` in 4 min`, or nothing where it is not known. */
function soon(atMs: number | undefined, nowMs: number): string {
  if (atMs === undefined) return ''
  const seconds = Math.max(0, Math.round((atMs - nowMs) / 1000))
  return seconds < 90 ? ` in ${seconds} s` : ` in ${Math.round(seconds / 60)} min`
}
