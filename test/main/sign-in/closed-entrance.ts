import type { KeyEntrance } from '../../../main/hosts/window-session.ts'

const no = () => ({ ok: false, code: 'no', message: 'no' }) as const

/** For tests in which no key comes in. */
export const CLOSED_ENTRANCE: KeyEntrance = {
  connect: no,
  startSignIn: no,
  signInAgain: no,
  replaceToken: no,
  correctSecret: no,
  cancelSignIn: no,
  subscribe: () => () => {},
}
