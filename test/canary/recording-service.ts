import { createServer, request as requestTo } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type SimulatorServer, startSimulatorServer } from '../../main/simulator/server.ts'

export interface RecordingService {
  readonly origin: string
  readonly simulator: SimulatorServer
  /** Every token that was handed out so far. */
  readonly issued: ReadonlySet<string>
  /** Every code verifier that was received. */
  readonly verifiers: ReadonlySet<string>
}

/** The simulator behind a server that forwards every request and records the tokens in it. */
export async function startRecordingService(
  options: Parameters<typeof startSimulatorServer>[0],
): Promise<RecordingService> {
  const simulator = await startSimulatorServer(options)
  const { port } = new URL(simulator.origin)
  const issued = new Set<string>()
  const verifiers = new Set<string>()
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const onward = requestTo({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      if (path === '/oauth/token') {
        let body = ''
        answer.setEncoding('utf8').on('data', (text: string) => {
          body += text
        })
        answer.on('end', () => {
          for (const token of tokensIn(body)) issued.add(token)
        })
      }
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    let asked = ''
    incoming.on('data', (part: Buffer) => {
      asked += part.toString()
    })
    incoming.on('end', () => {
      const verifier = new URLSearchParams(asked).get('code_verifier')
      if (verifier !== null) verifiers.add(verifier)
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await simulator.close()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    simulator,
    issued,
    verifiers,
  }
}

function tokensIn(body: string): readonly string[] {
  const fields = Object(JSON.parse(body)) as Record<string, unknown>
  return ['access_token', 'refresh_token', 'id_token']
    .map((name) => fields[name])
    .filter((value): value is string => typeof value === 'string')
}
