import type { Refusal } from '../../app/contract/contract.ts'
import type { StreamProposal } from '../../app/streams/slot-proposal.ts'

/** What the commands on streams answer when they cannot do as asked. */
export const unknownStream: Refusal = {
  ok: false,
  code: 'unknown-stream',
  message: 'That stream is not open any more.',
}

export const tooMany = (most: number): Refusal => ({
  ok: false,
  code: 'too-many',
  message: `Not opened: ${most} streams are open already.`,
})

export function noSlot(category: string, proposal: StreamProposal | undefined): Refusal {
  const taken = `Not opened: all slots of ${category} are in use`
  if (!proposal) return { ok: false, code: 'no-slot', message: `${taken} by other programs.` }
  return {
    ok: false,
    code: 'no-slot',
    message: `${taken}. Close a stream first; ${proposal.target} is the least used.`,
    proposal,
  }
}

/** The same as the reason of a stream, which stands after its name: no capital, no full stop. */
export const reasonOf = ({ message }: Refusal): string =>
  `${message.charAt(0).toLowerCase()}${message.slice(1)}`.replace(/\.$/, '')
