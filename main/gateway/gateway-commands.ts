import type { gatewayContract } from '../../app/contract/gateway.ts'
import type { Feature } from '../../app/contract/ipc.ts'
import type { Outcome } from '../../app/contract/outcome.ts'
import { sentence } from '../../app/status/sentences.ts'
import type { Gateway, GatewayChange } from './gateway.ts'

export function gatewayCommands(
  gateway: Pick<
    Gateway,
    'summary' | 'programs' | 'nextPort' | 'turnOn' | 'turnOff' | 'add' | 'cut' | 'pause' | 'resume'
  >,
): Feature<typeof gatewayContract> {
  return {
    handlers: {
      gateway: () => ({
        gateway: gateway.summary,
        programs: gateway.programs(),
        nextPort: gateway.nextPort,
      }),
      setGateway: async ({ on, port }) =>
        outcomeOf(on ? await gateway.turnOn(port) : await gateway.turnOff()),
      addProgram: (program) => {
        const added = gateway.add(program)
        return outcomeOf(added.ok ? { ok: true, key: added.key } : added)
      },
      cutProgram: ({ name }) => outcomeOf(gateway.cut(name)),
      pauseProgram: ({ name }) => outcomeOf(gateway.pause(name)),
      resumeProgram: ({ name }) => outcomeOf(gateway.resume(name)),
    },
  }
}

const outcomeOf = <T>(change: GatewayChange<T>): Outcome<T> =>
  change.ok ? change : { ok: false, code: 'gateway', message: sentence(change.why) }
