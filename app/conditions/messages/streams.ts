import type { CommandError } from '../../contract/outcome.ts'
import type { SlotQuota, Snapshot } from '../../contract/snapshot.ts'
import { streamCategoryName } from '../../service/stream-kinds.ts'
import { sinceText } from '../../status/durations.ts'
import { dayAndMinuteText } from '../../status/moments.ts'
import { countText, rateText } from '../../status/rates.ts'
import { openStreams } from '../../status/stream-status.ts'
import { type Condition, conditionsOf, isStopped, replacementOf, streamsHeard } from '../evaluate.ts'
import { checkHosts, joined, type Message, message } from './message.ts'

/** The text for streams that are silent, waiting or restarting at `nowMs`, epoch ms. */
export function streamsMessage({ kind, since }: Condition, snapshot: Snapshot, nowMs: number): Message {
  const { silent, missed, unheard, queued, restarting, wanted } = streamsHeard(snapshot, nowMs)
  const note = since === undefined ? '' : sinceText(since, nowMs)
  const moment = since === undefined ? '' : `since ${dayAndMinuteText(since, nowMs)}`
  const text = since === undefined ? '' : `since ${dayAndMinuteText(since, nowMs)}.`
  const others = missed.length + unheard.length
  const waiting = others + queued.length
  if (kind === 'streams-waiting') {
    const forSlot =
      queued.length === 0
        ? ''
        : `${queued.length} of them ${queued.length === 1 ? 'waits' : 'wait'} for a slot.`
    return message({
      label: `${waiting} waiting`,
      name: `${countText(waiting, 'stream')} waiting`,
      note,
      moment,
      title: `${waiting} of ${countText(wanted.length, 'stream')} ${waiting === 1 ? 'is' : 'are'} waiting`,
      text: others > 0 ? text : 'for a slot.',
      detail: joined('Headroom reopens them.', others > 0 ? forSlot : ''),
    })
  }
  if (kind === 'streams-restarting') {
    const count = restarting.length
    return message({
      label: `${count} restarting`,
      name: `${countText(count, 'stream')} restarting`,
      title: `${count} of ${countText(wanted.length, 'stream')} ${count === 1 ? 'keeps' : 'keep'} restarting.`,
      text: 'Three or more restarts in 10 min.',
      action: checkHosts({ service: snapshot.service.host }),
      detail: 'Headroom reopens them each time.',
    })
  }
  const label = silent.length > 0 ? `${silent.length} silent` : `${waiting} waiting`
  if (kind === 'streams-silent') {
    return message({
      label,
      name: `${countText(silent.length, 'stream')} silent`,
      note,
      moment,
      title: `${silent.length} of ${countText(wanted.length, 'stream')} ${silent.length === 1 ? 'is' : 'are'} silent`,
      text,
      action: 'Treat their last prices as stale.',
      detail: 'Headroom reconnects a stream after 30 s of silence.',
    })
  }
  const counts = [
    ...(silent.length > 0 ? [`${silent.length} of ${countText(wanted.length, 'stream')} silent`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ].join(', ')
  return message({
    label,
    name: 'No stream receives data',
    note,
    moment,
    title: 'No stream is receiving data',
    text,
    action: 'Treat last prices as stale.',
    detail: `${counts}. Headroom reconnects them automatically.`,
  })
}

/** The text for a group whose slots are all in use. Names the stream to replace. */
export function slotsMessage(category: string, group: SlotQuota | undefined, snapshot: Snapshot): Message {
  const { limit = 0, own = 0, desk = 0, elsewhere = 0 } = group ?? {}
  const { quietest, waiting } = replacementOf(category, snapshot) ?? {}
  const name = streamCategoryName(category)
  const close =
    own > 0
      ? 'Close a stream before you open another.'
      : desk > 0
        ? 'Close a stream on another machine of the desk.'
        : 'Ask the others to close a stream.'
  const byDesk = group?.desk === undefined ? '' : `${desk} on the desk, `
  return message({
    label: 'full',
    name: `${name} full`,
    note: `${limit}/${limit}`,
    moment: '',
    title: `${name}: all ${limit} slots in use`,
    text: `(${own} yours, ${byDesk}${elsewhere} others).`,
    ...(quietest && waiting
      ? {
          action: `Replace ${quietest.target} to open ${waiting.target}.`,
          detail: `${quietest.target} is the quietest stream (${rateText(quietest.framesPerSecond)}).`,
        }
      : { action: close }),
  })
}

/**
 * What to know about open streams while all calls fail. Opening a stream is a call, but nothing says that the
 * service ends an open one then (service 3). Empty if no stream is open, or if calls work.
 */
export function reopenSentence(snapshot: Snapshot, nowMs: number): string {
  const isShown = openStreams(snapshot.streams).length > 0 && isStopped(conditionsOf(snapshot, nowMs))
  return isShown ? 'If one ends, it can’t reopen until calls work.' : ''
}

/** The response to a command that would end an open stream and open one, while all calls fail. */
export const NOT_REOPENED: CommandError = {
  ok: false,
  code: 'calls-fail',
  message: 'Stream not closed: none can open until calls work.',
}
