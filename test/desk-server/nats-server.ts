import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../main/storage/temporary-folder.ts'
import { clusterTraits, type NatsServer, type NatsServerTraits, runNatsServer } from './nats-process.ts'

/** Starts a server and waits until it takes connections. It ends with the running test. */
export async function startNatsServer(program: string, traits: NatsServerTraits = {}): Promise<NatsServer> {
  const server = await runNatsServer(program, temporaryFolder(), traits)
  onTestFinished(() => server.kill())
  return server
}

/** Three servers of one cluster. */
export async function startNatsCluster(program: string): Promise<readonly NatsServer[]> {
  return Promise.all((await clusterTraits()).map((traits) => startNatsServer(program, traits)))
}
