import type { ServerResponse } from 'node:http'
import { startLoopbackServer } from '../loopback-server.ts'

export interface RotatingServer {
  readonly origin: string
  /** Every refresh token that was really sent over the network, in order. */
  readonly sent: string[]
  /** The token that works now. */
  current(): string
  /** The status of responses to revocations, and the tokens of all revocations so far. */
  revokeStatus: number
  readonly revokes: string[]
  /**
   * How many times the previous token is still accepted. Within that number, a lost response does not end the
   * session.
   */
  overlap: number
  /**
   * Called after the rotation, instead of a response: cuts, hangs or kills. If it returns false, the server
   * responds as usual.
   */
  afterRotation: (response: ServerResponse, answer: string) => boolean
}

/**
 * A token endpoint with rotation and a record of its own, for these tests only.
 *
 * While the previous token is still accepted, it gets the same successor again.
 */
export async function startRotatingServer(first = 'r-0'): Promise<RotatingServer> {
  let generation = 0
  let previous: string | undefined
  let current = first
  const server: RotatingServer & { origin: string } = {
    origin: '',
    sent: [],
    current: () => current,
    overlap: 0,
    revokeStatus: 200,
    revokes: [],
    afterRotation: () => false,
  }
  const { origin } = await startLoopbackServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    request.on('end', () => {
      if (request.url === '/oauth/revoke') {
        server.revokes.push(JSON.parse(body).refresh_token)
        response.writeHead(server.revokeStatus).end()
        return
      }
      const token = new URLSearchParams(body).get('refresh_token') ?? ''
      server.sent.push(token)
      if (token === current) {
        previous = current
        generation += 1
        current = `r-${generation}`
      } else if (token === previous && server.overlap > 0) server.overlap -= 1
      else {
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error: 'invalid_grant' }))
        return
      }
      const answer = JSON.stringify({
        access_token: `a-${generation}`,
        expires_in: 1200,
        token_type: 'Bearer',
        scope: 'openid',
        refresh_token: current,
      })
      if (server.afterRotation(response, answer)) return
      response.writeHead(200, { 'content-type': 'application/json', connection: 'keep-alive' })
      response.end(answer)
    })
  })
  server.origin = origin
  return server
}
