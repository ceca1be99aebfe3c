import type { gatewayContract } from '../../app/contract/gateway.ts'
import type { Feature } from '../../app/contract/ipc.ts'
import type { CommandError } from '../../app/contract/outcome.ts'
import { DEFAULT_GATEWAY_PORT } from '../../app/contract/programs.ts'
import type { Gateway } from './gateway.ts'

/** The commands for the gateway. */
export function gatewayCommands(
  gateway: Pick<Gateway, 'summary' | 'programs' | 'turnOn' | 'turnOff' | 'add' | 'cut' | 'pause' | 'resume'>,
): Feature<typeof gatewayContract> {
  return {
    handlers: {
      gateway: () => ({ gateway: gateway.summary, programs: gateway.programs() }),
      setGateway: async ({ on, port = DEFAULT_GATEWAY_PORT }) => {
        const change = on ? await gateway.turnOn(port) : await gateway.turnOff()
        return change.ok ? change : refusal(change.why)
      },
      addProgram: (program) => {
        const added = gateway.add(program)
        return added.ok ? { ok: true, key: added.key } : refusal(added.why)
      },
      cutProgram: ({ name }) => {
        const cut = gateway.cut(name)
        return cut.ok ? cut : refusal(cut.why)
      },
      pauseProgram: ({ name }) => {
        const paused = gateway.pause(name)
        return paused.ok ? paused : refusal(paused.why)
      },
      resumeProgram: ({ name }) => {
        const resumed = gateway.resume(name)
        return resumed.ok ? resumed : refusal(resumed.why)
      },
    },
  }
}

const refusal = (why: string): CommandError => ({
  ok: false,
  code: 'gateway',
  message: `${why.slice(0, 1).toUpperCase()}${why.slice(1)}.`,
})
