import type { deskContract } from '../../../app/contract/desk.ts'
import type { Feature } from '../../../app/contract/ipc.ts'

const NONE = { ok: false, code: 'desk', message: 'There are no desks here.' } as const

/** The feature of an app in which no test changes a desk. */
export const NO_DESKS: Feature<typeof deskContract> = {
  handlers: {
    createDesk: () => NONE,
    joinDesk: () => NONE,
    deskInvitation: () => NONE,
    leaveDesk: () => NONE,
    rotateDesk: () => NONE,
  },
}
