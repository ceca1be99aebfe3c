import type { DeskInvitation, deskContract } from '../../app/contract/desk.ts'
import type { Handlers } from '../../app/contract/ipc.ts'
import type { CommandError } from '../../app/contract/outcome.ts'
import type { ControlAnswer, DeskRequest } from './protocol.ts'

/**
 * Answers a request about a desk. `desk` carries out the commands, either in the running app or on the stored
 * desks of a data folder that no app uses.
 */
export async function answerOfDesk(
  request: DeskRequest,
  desk: Handlers<typeof deskContract>,
): Promise<ControlAnswer> {
  const { profile } = request
  switch (request.do) {
    case 'create-desk': {
      const { do: _, ...chosen } = request
      return invitationOr(await desk.createDesk(chosen))
    }
    case 'join-desk': {
      const { do: _, ...chosen } = request
      const joined = await desk.joinDesk(chosen)
      return joined.ok ? { ok: true, joined: profile } : refused(joined)
    }
    case 'desk-invitation':
      return invitationOr(await desk.deskInvitation({ profile }))
    case 'leave-desk': {
      const left = await desk.leaveDesk({ profile })
      return left.ok ? { ok: true, left: profile } : refused(left)
    }
    case 'rotate-desk':
      return invitationOr(await desk.rotateDesk({ profile }))
  }
}

const invitationOr = (outcome: DeskInvitation): ControlAnswer => (outcome.ok ? outcome : refused(outcome))

const refused = ({ code, message }: CommandError): ControlAnswer => ({ ok: false, code, message })
