import type { gatewayContract } from '../../../app/contract/gateway.ts'
import type { Feature } from '../../../app/contract/ipc.ts'

const NONE = { ok: false, code: 'gateway', message: 'There is no gateway here.' } as const

/** The feature of an app without a gateway. */
export const NO_GATEWAY: Feature<typeof gatewayContract> = {
  handlers: {
    gateway: () => ({ gateway: { state: 'off' }, programs: [], nextPort: 4791 }),
    setGateway: () => NONE,
    addProgram: () => NONE,
    cutProgram: () => NONE,
    pauseProgram: () => NONE,
    resumeProgram: () => NONE,
  },
}
