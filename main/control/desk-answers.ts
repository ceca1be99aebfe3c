import type { deskContract } from '../../app/contract/desk.ts'
import type { Handlers } from '../../app/contract/ipc.ts'
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
      return desk.createDesk(chosen)
    }
    case 'join-desk': {
      const { do: _, ...chosen } = request
      const joined = await desk.joinDesk(chosen)
      return joined.ok ? { ok: true, joined: profile } : joined
    }
    case 'desk-invitation':
      return desk.deskInvitation({ profile })
    case 'leave-desk': {
      const left = await desk.leaveDesk({ profile })
      return left.ok ? { ok: true, left: profile } : left
    }
    case 'rotate-desk':
      return desk.rotateDesk({ profile })
  }
}
