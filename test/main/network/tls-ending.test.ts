import { readFileSync } from 'node:fs'
import https from 'node:https'
import { createServer, type Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { createSecureContext, type SecureVersion, TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { nodeForwardHttp } from '../../../main/network/forward-http.ts'
import { nodeHttp } from '../../../main/network/http-client.ts'
import { startGateway } from '../gateway/started-gateway.ts'
import { listening, portOf } from '../loopback-server.ts'

const certificate = (name: string) =>
  readFileSync(new URL(`../ports/certificates/${name}.pem`, import.meta.url))
const HEAD = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'

type Ending = 'with the last bytes' | 'later' | 'without notice' | 'within a record'

/**
 * A TLS server whose responses have no length: each body ends with its connection. Returns the server's
 * origin, and routes that trust its certificate.
 */
async function secureService(version: SecureVersion, body: string, ending: Ending) {
  const server = createServer((connection) => void answer(connection))
  const answer = (connection: Socket) => {
    connection.on('error', () => {})
    const [encrypted, wire] = duplexPair()
    const secure = new TLSSocket(encrypted, {
      isServer: true,
      secureContext: createSecureContext({
        key: certificate('service.key'),
        cert: certificate('service'),
        minVersion: version,
        maxVersion: version,
      }),
    })
    let isCut = false
    connection.on('data', (bytes) => wire.write(bytes))
    wire.on('data', (bytes: Buffer) => {
      if (!isCut) connection.write(bytes)
      else connection.end(ending === 'without notice' ? bytes : bytes.subarray(0, -1))
    })
    wire.on('end', () => connection.end())
    secure.on('error', () => {})
    secure.on('data', () => {
      isCut = ending === 'without notice'
      if (ending === 'with the last bytes') secure.end(`${HEAD}${body}`)
      else secure.write(`${HEAD}${body}`, rest)
    })
    const rest = () => {
      isCut = ending === 'within a record'
      if (isCut) secure.write('"and more"'.repeat(100))
      else setImmediate(() => setImmediate(() => secure.end()))
    }
  }
  const port = portOf(await listening(server))
  const agent = new https.Agent({ ca: certificate('company'), keepAlive: true })
  onTestFinished(() => agent.destroy())
  return {
    origin: `https://localhost:${port}`,
    routes: () => ({ kind: 'agent', agent }) as const,
  }
}

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const
const CASES = VERSIONS.flatMap((version) => [
  ...(['with the last bytes', 'later'] as const).map((ending) => [version, ending, 'whole'] as const),
  ...(['without notice', 'within a record'] as const).map((ending) => [version, ending, 'cut'] as const),
])

test.each(CASES)(
  'over %s a body that ends with its connection, %s, is %s',
  async (version, ending, outcome) => {
    const body = '{"all":"of it"}'
    const { origin, routes } = await secureService(version, body, ending)
    const { add, get } = await startGateway({
      forward: nodeForwardHttp({}, routes),
      profile: { baseUrl: origin },
    })
    const relayed = await get('/v3/brokerage/accounts', add('bot'))
      .then((answer) => answer.text())
      .then(
        (text) => (text === body ? 'whole' : text),
        () => 'cut',
      )
    expect(relayed).toBe(outcome)
    const sent = await nodeHttp({}, routes).send({
      method: 'GET',
      url: `${origin}/v3/brokerage/accounts`,
      headers: {},
      timeoutMs: 20_000,
    })
    expect(sent.kind === 'answer' ? 'whole' : 'cut').toBe(outcome)
  },
)
