import { LOST_HOST, SAVED_KEYS, VAULT_REPLACED } from '../../contract/key-health.ts'
import type { Severity } from '../../contract/severity.ts'
import { SIGN_IN_TO_REVOKE, type Snapshot } from '../../contract/snapshot.ts'
import { coarseSinceText, countdownText, sinceText } from '../../status/durations.ts'
import { clockText, dayAndMinuteText, minuteText } from '../../status/moments.ts'
import { STALE_AFTER_MS, STATE_LABELS, stateAt, surelyLeftText } from '../../status/quota-status.ts'
import { countText } from '../../status/rates.ts'
import { capitalised, sentence, sentenceEnd } from '../../status/sentences.ts'
import { SIGN_IN_ENDS_SOON } from '../../status/token-status.ts'
import { type Condition, conditionsOf, freshestMs, hasRecovered, isStopped } from '../evaluate.ts'
import { isOfRow } from '../kinds.ts'
import { deskConditionMessage } from './desk.ts'
import { checkHosts, hostReason, joined, type Message, message, NO_ACTION } from './message.ts'
import { isDiskFull, ordersMessage } from './orders.ts'
import { historyWords, problemMessage } from './problems.ts'
import { rowMessage } from './rows.ts'
import { slotsMessage, streamsMessage } from './streams.ts'

/** The text for a condition of `snapshot` at `nowMs`, epoch ms. */
export function messageOf(condition: Condition, snapshot: Snapshot, nowMs: number): Message {
  const { refresh, service, signInHost, access } = snapshot
  const { since, subject = '', problem, row } = condition
  const bare = message({ label: '', name: subject, title: subject })
  const sinceWords = since === undefined ? '' : `since ${dayAndMinuteText(since, nowMs)}.`
  switch (condition.kind) {
    case 'keys-damaged': {
      const isUnnamed = snapshot.profile.id === SAVED_KEYS
      return message({
        label: 'keys damaged',
        name: 'Saved keys damaged',
        title: isUnnamed ? 'Your saved keys are damaged or missing.' : 'Your saved keys are damaged.',
        action: isUnnamed
          ? 'Connect them again.'
          : service.host === LOST_HOST
            ? 'Connect the key again, then disconnect this entry.'
            : 'Sign in again.',
        detail: isUnnamed ? 'Headroom deleted nothing.' : 'The damaged file is set aside, not deleted.',
      })
    }
    case 'keys-unreadable':
      return message({
        label: 'keys unreadable',
        name: 'Saved keys unreadable',
        title: 'Your saved keys can’t be opened.',
        action: 'Update Headroom, or check access to its data folder.',
        detail: 'Nothing was changed.',
      })
    case 'keys-locked':
      return message({
        label: 'keys locked',
        name: 'Saved keys locked',
        title: 'Your saved keys are locked.',
        action:
          snapshot.keystore === 'no-passphrase'
            ? 'Restart Headroom with HEADROOM_PASSPHRASE.'
            : 'Unlock the system keyring.',
        detail: 'The keys are intact; checks resume once they are unlocked.',
      })
    case 'keys-sealed-elsewhere':
      return message({
        label: 'keys locked',
        name: 'Saved keys encrypted elsewhere',
        title: 'Your keys were encrypted with another keyring or passphrase.',
        action: 'Sign in again, or restart Headroom with that keyring or passphrase.',
        detail: 'Nothing was deleted.',
      })
    case 'keyring-away':
      return message({
        label: 'not saved',
        name: 'Tokens not saved',
        title: 'Tokens can’t be saved.',
        text: 'They are in memory only.',
        action: 'Check the keyring, or the data folder’s disk.',
        detail: 'The events say why. After a restart, you’ll need to sign in again.',
      })
    case 'keyring-unprotected':
      return message({
        label: 'tokens in memory',
        name: 'Tokens in memory only',
        title: 'This system would store tokens unprotected.',
        text: 'Tokens are in memory only.',
        action: 'Store the tokens anyway, or sign in after each start.',
        detail: 'Any program that reads your files can use stored tokens.',
      })
    case 'token-not-saved':
      return message({
        label: 'not saved',
        name: 'Refresh token not saved',
        title: 'Refresh token not saved:',
        text: sentenceEnd(refresh.unsaved ?? ''),
        action: `${savingRemedy(refresh.unsaved)} before you quit Headroom.`,
        detail: 'Otherwise you’ll need to sign in again.',
      })
    case 'history-paused': {
      const { why, action } = historyWords(snapshot.pausedHistory?.failure)
      return message({
        label: 'history paused',
        name: 'History paused',
        title: `${why}.`,
        text: 'History is paused; monitoring continues.',
        action,
        detail: 'Until then, samples stay in memory.',
      })
    }
    case 'hosts-unreachable':
      return message({
        label: 'unreachable',
        name: 'Service and sign-in host unreachable',
        title: 'Can’t reach the service or the sign-in host',
        text: sinceWords,
        action: checkHosts({ service: service.host, signIn: signInHost?.host }),
        // Without a token, no call reaches the service, so the sign-in host is named first.
        detail: joined(retrying(signInHost?.retryAt, nowMs), hostReason(service.host, service.why)),
      })
    case 'sign-in-host-gone':
      return message({
        label: 'unreachable',
        name: 'Sign-in host unreachable',
        title: 'Can’t reach the sign-in host.',
        text: 'The access token has expired; checks are paused.',
        action: checkHosts({ signIn: signInHost?.host }),
        detail: joined(
          'You’re still signed in.',
          retrying(signInHost?.retryAt, nowMs),
          hostReason(signInHost?.host, signInHost?.why),
        ),
      })
    case 'sign-in-host-unreachable':
      return message({
        label: 'renewal failing',
        name: 'Sign-in host unreachable',
        title: 'Can’t reach the sign-in host.',
        text: access.expiresAt === undefined ? '' : `Access works until ${minuteText(access.expiresAt)}.`,
        action: checkHosts({ signIn: signInHost?.host }),
        detail: joined(retrying(signInHost?.retryAt, nowMs), hostReason(signInHost?.host, signInHost?.why)),
        ...(access.expiresAt !== undefined && { moment: `until ${minuteText(access.expiresAt)}` }),
      })
    case 'signed-out':
      if (refresh.revokedBy !== undefined)
        return message({
          label: 'revoked',
          name: `Revoked on ${refresh.revokedBy}`,
          title: `Revoked on ${refresh.revokedBy}${since === undefined ? '.' : ''}`,
          text: since === undefined ? '' : `at ${dayAndMinuteText(since, nowMs)}.`,
          action: 'Sign in to use this key again.',
          detail: 'The service confirmed the revocation.',
        })
      return message({
        label: 'signed out',
        name: 'Signed out',
        title: 'Signed out.',
        action:
          refresh.state === 'none' ? 'Sign in to see live numbers.' : 'Sign in to resume checks and streams.',
        detail: refresh.state === 'none' ? '' : endedText(snapshot, nowMs),
      })
    case 'key-rejected':
      return message({
        label: 'key rejected',
        name: 'API key rejected',
        title: 'The sign-in host rejects this API key or secret.',
        action: 'Correct the secret, or connect the right key.',
        detail: refresh.reason === undefined ? '' : sentence(refresh.reason),
      })
    case 'revoked':
      return message({
        label: 'revoked',
        name: 'Tokens revoked',
        title: since === undefined ? 'Revoked.' : 'Revoked',
        text: since === undefined ? '' : `at ${dayAndMinuteText(since, nowMs)}.`,
        action: 'Sign in to use this key again.',
        detail: 'The service confirmed the revocation.',
      })
    case 'revoking':
      return message({
        label: 'revoking',
        name: 'Revoking tokens',
        title: 'Revoking the tokens.',
        text: 'Assume the tokens still work.',
        detail: 'Waiting for the service to confirm.',
      })
    case 'revocation-unconfirmed': {
      const { reason = '', retryAt } = refresh
      const status = /\b[45]\d\d\b/.exec(reason)?.[0]
      const why = status !== undefined || reason === '' ? '' : sentence(reason)
      return message({
        label: 'revocation not confirmed',
        name: 'Revocation not confirmed',
        title: `Revocation not confirmed${status === undefined ? '' : ` (${status})`}.`,
        text: 'Assume the tokens still work.',
        ...(reason === SIGN_IN_TO_REVOKE
          ? { action: 'Sign in, then revoke again.' }
          : retryAt === undefined
            ? { action: 'Revoke again, or disconnect this key.', detail: why }
            : { detail: joined(why, retrying(retryAt, nowMs)) }),
      })
    }
    case 'renewal-failing':
      return message({
        label: refresh.state === 'unconfirmed' ? 'not confirmed yet' : 'renewal failing',
        name: refresh.state === 'unconfirmed' ? 'Sign-in not confirmed yet' : 'Access token expired',
        title: refresh.state === 'unconfirmed' ? 'Sign-in not confirmed yet.' : 'Access has expired.',
        text: refresh.state === 'unconfirmed' ? '' : 'Checks are paused until access is renewed.',
        detail: joined(
          refresh.reason === undefined ? '' : sentence(refresh.reason),
          retrying(refresh.retryAt, nowMs),
        ),
      })
    case 'sign-in-ends': {
      const endsAt = refresh.endsAt ?? nowMs
      const left = countdownText(endsAt - nowMs, 'down')
      const detail = 'Renewals can’t extend the sign-in.'
      if (endsAt <= nowMs) {
        const end = dayAndMinuteText(endsAt, nowMs)
        const title = `The sign-in was due to end at ${end}.`
        const words = { label: 'overdue', name: 'Sign-in overdue', moment: `since ${end}` }
        return message({ ...words, title, action: 'Sign in again now.', detail })
      }
      return message({
        label: 'ends soon',
        name: capitalised(SIGN_IN_ENDS_SOON),
        note: left,
        moment: `by ${minuteText(endsAt)}`,
        title: `The sign-in ends at ${minuteText(endsAt)},`,
        text: `in ${left}.`,
        action: 'Sign in again before then to avoid an interruption.',
        detail,
      })
    }
    case 'token-rejected':
    case 'permission-missing':
    case 'check-rejected':
    case 'quota-failing':
    case 'service-failing':
    case 'no-headers':
      return problem === undefined ? bare : problemMessage(condition.kind, problem, snapshot, nowMs)
    case 'service-unreachable':
      return message({
        label: 'unreachable',
        name: 'Service unreachable',
        title: 'Can’t reach the service',
        text: sinceWords,
        detail: joined(
          retrying(service.retryAt, nowMs),
          'Streams reopen automatically.',
          service.why === undefined ? '' : `${service.host}: ${sentenceEnd(service.why)}`,
        ),
      })
    case 'no-stream-data':
    case 'streams-silent':
    case 'streams-waiting':
    case 'streams-restarting':
      return streamsMessage(condition, snapshot, nowMs)
    case 'slots-full': {
      const group = snapshot.slots.find(({ category }) => category === subject)
      return slotsMessage(subject, group, snapshot)
    }
    case 'others-use-refill':
    case 'own-use':
    case 'rate-limited':
    case 'empty':
    case 'running-out':
    case 'low':
    case 'usual-load':
    case 'watch':
      return row === undefined ? bare : rowMessage(condition, row, snapshot, nowMs)
    case 'order-unknown':
    case 'orders-failed':
    case 'orders-forbidden':
    case 'orders-stopped':
      return ordersMessage(condition.kind, snapshot, nowMs)
    case 'desk-unreachable':
    case 'desk-refused':
      return deskConditionMessage(condition.kind, snapshot)
    case 'not-checked':
      return dataMessage(condition, snapshot, nowMs)
  }
}

/**
 * Title and body of a condition's alert. App windows refresh them regularly, so that countdowns keep running.
 */
export function alertText(condition: Condition, snapshot: Snapshot, nowMs: number): AlertText {
  const { title, text, action, detail } = messageOf(condition, snapshot, nowMs)
  // An alert shows its start separately, so the text must not repeat it.
  const more = text.startsWith('since ') ? '' : capitalised(text)
  return {
    title: title.replace(/[.,:]$/, ''),
    body: joined(more, action, detail, `On ${snapshot.profile.name}.`),
  }
}

export interface AlertText {
  readonly title: string
  readonly body: string
}

/**
 * Title and body of an alert whose condition is no longer found. Without a header that proves the recovery,
 * the text says that the row may have recovered.
 */
export function recoveredText(
  kind: string,
  subject: string,
  { profile, requests }: Snapshot,
  nowMs: number,
): AlertText & { readonly severity: 'ok' | 'unknown' } {
  const row = requests.find(({ category }) => category === subject)
  const on = `On ${profile.name}.`
  if (row !== undefined && !hasRecovered(kind, row, nowMs)) {
    return {
      severity: 'unknown',
      title: `${subject} may have recovered`,
      body: joined('Waiting for the next header.', NO_ACTION, on),
    }
  }
  return {
    severity: 'ok',
    title:
      kind === 'capacity-back' ? `${subject} can be called again` : `${subject || profile.name} recovered`,
    body: joined(row === undefined ? '' : `${surelyLeftText(row)} of ${row.limit} left.`, NO_ACTION, on),
  }
}

type Named = { readonly kind: string; readonly subject: string }

/** An alert with its current text and severity. After its condition ended, the text is about the recovery. */
export function presentAlert(
  alert: Named,
  snapshot: Snapshot,
  nowMs: number,
): AlertText & { readonly severity: Severity } {
  const condition = conditionNow(alert, snapshot, nowMs) ?? successorOf(alert, snapshot, nowMs)
  return condition === undefined
    ? recoveredText(alert.kind, alert.subject, snapshot, nowMs)
    : { severity: condition.severity, ...alertText(condition, snapshot, nowMs) }
}

/**
 * The category that an alert is about. If several rows share the alert's problem, this is the first of them.
 * Empty for an alert about the whole key.
 */
export function alertPlace(alert: Named, snapshot: Snapshot | undefined, nowMs: number): string {
  if (alert.subject !== '' || snapshot === undefined) return alert.subject
  const { problem } = conditionNow(alert, snapshot, nowMs) ?? {}
  return problem === undefined || problem.isWhole ? '' : problem.categories[0]
}

function conditionNow({ kind, subject }: Named, snapshot: Snapshot, nowMs: number): Condition | undefined {
  const { roots, consequences } = conditionsOf(snapshot, nowMs)
  return [...roots, ...consequences].find((one) => one.kind === kind && (one.subject ?? '') === subject)
}

/** The current condition of an alert's quota, or of the key while all calls fail. `undefined` if none. */
function successorOf({ kind, subject }: Named, snapshot: Snapshot, nowMs: number): Condition | undefined {
  const conditions = conditionsOf(snapshot, nowMs)
  if (isStopped(conditions)) return conditions.roots[0]
  const isNow = (one: Condition) => isOfRow(one.kind) && one.subject === subject && one.severity !== 'watch'
  return isOfRow(kind) ? conditions.roots.find(isNow) : undefined
}

/** The number of alerts by key, for keys that are not displayed: `Beta: 2 alerts.` Empty without alerts. */
export const othersAlertsText = (alerts: readonly string[], names: ReadonlyMap<string, string>): string =>
  [...Map.groupBy(alerts, (profile) => profile)]
    .map(([profile, { length }]) => `${names.get(profile) ?? profile}: ${countText(length, 'alert')}.`)
    .join(' ')

/** What a person can do so that a token is saved. The start of a sentence. */
const savingRemedy = (why: string | undefined): string => {
  if (isDiskFull(why)) return 'Free some space'
  return why === VAULT_REPLACED ? 'Put the file back and save' : 'Fix this'
}

/** `Retrying at 14:31:30.`, or `Retrying now.` during an attempt. `Retrying.` if the time is unknown. */
function retrying(atMs: number | undefined, nowMs: number): string {
  if (atMs === undefined) return 'Retrying.'
  return atMs <= nowMs ? 'Retrying now.' : `Retrying at ${clockText(atMs)}.`
}

function endedText({ refresh: { endsAt, reason } }: Snapshot, nowMs: number): string {
  if (endsAt !== undefined && endsAt <= nowMs)
    return `The sign-in ended at ${dayAndMinuteText(endsAt, nowMs)}.`
  return sentence(reason ?? 'the service rejected the refresh token')
}

function dataMessage({ row }: Condition, snapshot: Snapshot, nowMs: number): Message {
  const label = STATE_LABELS['not-checked']
  const words = { label, name: 'Quotas not checked' }
  const newest = row?.observedAt ?? freshestMs(snapshot)
  if (newest === undefined) {
    return message({
      ...words,
      note: 'no data yet',
      title: 'No data yet.',
      action: snapshot.service.reachable ? 'Checking now.' : 'Connecting.',
      detail: 'Limits shown are the documented defaults.',
    })
  }
  if (row === undefined && nowMs - newest <= STALE_AFTER_MS) {
    return message({
      ...words,
      note: 'measuring',
      title: 'Still measuring other traffic.',
      detail: `This needs two headers; the last one came ${sinceText(newest, nowMs)} ago.`,
    })
  }
  const age = coarseSinceText(newest, nowMs)
  const isRow = row !== undefined && stateAt(row, nowMs) !== 'not-checked'
  return message({
    ...words,
    note: `last data ${age} ago`,
    moment: `last data at ${dayAndMinuteText(newest, nowMs)}`,
    title: isRow ? `${row.category} was last checked ${age} ago.` : `No fresh data for ${age}.`,
    action: isRow ? `Check ${row.category} now, or send a request.` : 'Check now, or send a request.',
    detail: `Numbers since ${dayAndMinuteText(newest, nowMs)} are estimates.`,
  })
}
