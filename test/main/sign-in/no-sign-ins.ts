import type { Feature } from '../../../app/contract/ipc.ts'
import type { signInContract } from '../../../app/contract/sign-in.ts'

const no = () => ({ ok: false, code: 'no', message: 'no' }) as const

/** For tests in which no key is connected by a window. */
export const NO_SIGN_INS: Feature<typeof signInContract> = {
  handlers: {
    connect: no,
    startSignIn: no,
    signInAgain: no,
    replaceToken: no,
    correctSecret: no,
    cancelSignIn: no,
  },
  follow: () => () => {},
}
