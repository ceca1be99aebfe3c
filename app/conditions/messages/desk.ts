import type { DeskRefusal, DeskSummary } from '../../contract/desk.ts'
import type { Snapshot } from '../../contract/snapshot.ts'
import { sentenceEnd } from '../../status/sentences.ts'
import { joined, type Message, message } from './message.ts'

/** Why a machine works alone although the desk's server responds. */
export const NO_DISPATCHER = 'No machine dispatches the desk’s queue.'

/** Why a machine works alone although the server responds and another machine dispatches. */
export const TOO_SLOW = 'This machine’s messages reach the desk too late.'

/** The text for a desk that can't be reached, or that this machine no longer belongs to. */
export function deskConditionMessage(kind: 'desk-unreachable' | 'desk-refused', { desk }: Snapshot): Message {
  if (kind === 'desk-refused') return refusedMessage(desk)
  return message({
    label: 'unreachable',
    name: 'Desk unreachable',
    title: 'Desk unreachable.',
    text: ownShareText(desk) || 'The desk’s other machines now count as others.',
    action: unreachableAction(desk),
    detail: joined('Retrying.', desk?.why === undefined ? '' : sentenceEnd(desk.why)),
  })
}

function unreachableAction(desk: DeskSummary | undefined): string {
  if (desk?.engine.reachable !== true) return 'Check the NATS server.'
  // Messages arrive from a dispatcher, so the server's store works.
  return desk.dispatcher === undefined
    ? 'Check JetStream on the NATS server.'
    : 'Check the network to the NATS server.'
}

const NAMED_SHARES = ['all', 'half', 'a third', 'a quarter', 'a fifth', 'a sixth', 'a seventh', 'an eighth']

/** `Using a third of each quota.` while this machine works alone. Otherwise empty. */
export function ownShareText(desk: DeskSummary | undefined): string {
  const { share } = desk?.queue ?? {}
  if (share === undefined) return ''
  if (share <= 0) return 'This machine just joined: its requests wait up to 60 s.'
  const parts = Math.round(1 / share)
  return `Using ${NAMED_SHARES[parts - 1] ?? `1/${parts}`} of each quota.`
}

function refusedMessage(desk: DeskSummary | undefined): Message {
  const { title, action } = refusedWords(desk?.refusal)
  const isJoined = desk?.state === 'joined'
  return message({
    label: isJoined ? 'versions differ' : 'left out',
    name: isJoined ? 'Versions differ on the desk' : 'No longer on the desk',
    title,
    text: isJoined ? 'Neither machine sees the other’s use.' : 'This machine sees only its own use.',
    action,
    // If the code is known, the title already gives the reason.
    detail: desk?.refusal !== undefined || desk?.why === undefined ? '' : sentenceEnd(desk.why),
  })
}

/** Why the desk refuses this machine, and what to do: a line for events and terminals. */
export function refusalText(refusal: DeskRefusal | undefined): string {
  const { title, action } = refusedWords(refusal)
  return `${title} ${action}`
}

function refusedWords(refusal: DeskRefusal | undefined): Pick<Message, 'title' | 'action'> {
  const machine = refusal?.machine
  switch (refusal?.code) {
    case 'rotated':
      return {
        title: `The desk’s secret was replaced${machine === undefined ? '' : ` on ${machine}`}.`,
        action: 'Ask for a new invitation. Leave the desk, then join again.',
      }
    case 'update-here':
      return {
        title: `${machine ?? 'Another machine'} has a newer version of Headroom.`,
        action: 'Update Headroom on this machine.',
      }
    case 'update-there':
      return {
        title: `${machine ?? 'Another machine'} has an older version of Headroom.`,
        action: `Update Headroom on ${machine ?? 'that machine'}.`,
      }
    case 'other-user':
      return {
        title: 'The desk belongs to another user.',
        action: 'Sign in as that user, or leave the desk.',
      }
    // A newer process may send an unknown code.
    default:
      return { title: 'This machine is no longer on the desk.', action: 'Leave the desk, then join again.' }
  }
}
