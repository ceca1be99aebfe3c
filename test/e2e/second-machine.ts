import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SimulatorServer } from '../../main/simulator/server.ts'
import { startProcess } from './started-process.ts'

const LAUNCH = fileURLToPath(new URL('../../main/launch.js', import.meta.url))
const PROGRAM_KEY = 'a-key-of-a-scanner-on-another-machine'
const ENVIRONMENT = { HEADROOM_PASSPHRASE: 'nine small herons share a canoe' }

/** Another machine with the same key: `headroom gateway` on a data folder of its own, and one program. */
export interface SecondMachine {
  /** `headroom desk join`. Returns its exit code and what it printed on stderr. */
  join(invitation: string, name: string): Promise<readonly [number | null, string]>
  /** Sends one request of its program and returns the status. */
  ask(pathAndQuery: string): Promise<number>
  stop(): Promise<void>
}

export async function startSecondMachine({ origin, service }: SimulatorServer): Promise<SecondMachine> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-second-'))
  const { clientId, refreshToken } = service.options
  const key = ['--auth-url', origin, '--base-url', origin, '--client-id', clientId]
  const { ready, stop } = await startProcess(
    ['gateway', '--port', '0', '--probe', 'none', '--data', folder, ...key],
    'gateway ready: ',
    {
      ...ENVIRONMENT,
      HEADROOM_REFRESH_TOKEN: refreshToken,
      HEADROOM_GATEWAY_KEYS: `scanner:normal=${PROGRAM_KEY}`,
    },
  )
  return {
    join: async (invitation, name) => {
      const joining = spawn(process.execPath, [LAUNCH, 'desk', 'join', '--name', name, '--data', folder], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, ...ENVIRONMENT, HEADROOM_DESK_INVITATION: invitation },
      })
      let errors = ''
      joining.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors += text
      })
      const [exitCode] = (await once(joining, 'close')) as [number | null]
      return [exitCode, errors]
    },
    ask: async (pathAndQuery) => {
      const authorization = `Bearer ${PROGRAM_KEY}`
      const answer = await fetch(`${ready[0]}${pathAndQuery}`, { headers: { authorization } })
      await answer.arrayBuffer()
      return answer.status
    },
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
