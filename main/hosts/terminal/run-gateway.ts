import { randomBytes } from 'node:crypto'
import { Gateway } from '../../gateway/gateway.ts'
import { Programs } from '../../gateway/programs.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import { nodeForwardHttp } from '../../network/forward-http.ts'
import { nodeClock } from '../../ports/node-clock.ts'
import type { Log } from '../../ports/ports.ts'
import type { Secrets } from '../../ports/redactor.ts'
import type { GatewayRun } from './gateway-run.ts'

interface GatewayPorts {
  /** Where programs are stored; absent: in memory only. */
  readonly dataFolder: string | undefined
  readonly log: Log
  readonly secrets: Secrets
  /** Receives one sentence if stored programs cannot be read. */
  readonly say: (line: string) => void
}

/** The gateway of `headroom gateway`, on this process's network. */
export function createGateway(
  { given, reserve }: GatewayRun,
  monitor: Pick<MonitorSurface, 'profiles' | 'withProfile' | 'subscribe' | 'snapshot'>,
  { dataFolder, log, secrets, say }: GatewayPorts,
): Gateway {
  return new Gateway({
    monitor,
    programs: new Programs({ dataFolder, given, clock: nodeClock, randomBytes, problem: say }),
    forward: nodeForwardHttp(process.env),
    clock: nodeClock,
    log,
    secrets,
    userId: process.getuid?.(),
    reserve,
  })
}
