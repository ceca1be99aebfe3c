import { request } from 'node:http'
import { listenOnLoopback } from '../../../main/network/loopback-servers.ts'
import type { ListenOnLoopback } from '../../../main/sign-in/redirect-server.ts'

/**
 * The real servers, on a free port instead of the requested one. Tests that run at the same time would
 * otherwise compete for the four ports.
 */
export function freePorts(taken: readonly number[] = []) {
  const asked: number[] = []
  const bound: number[] = []
  const listen: ListenOnLoopback = async (port, listenerFor) => {
    asked.push(port)
    if (taken.includes(port)) throw Object.assign(new Error('taken'), { code: 'EADDRINUSE' })
    const servers = await listenOnLoopback(0, listenerFor)
    bound.push(servers.port)
    return servers
  }
  return { listen, asked, bound }
}

export interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** A browser's request, as far as we look at it. */
export function get(
  port: number,
  target: string,
  more: { readonly host?: string; readonly method?: string; readonly headers?: Record<string, string> } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: more.host ?? '127.0.0.1',
        port,
        path: target,
        method: more.method ?? 'GET',
        headers: { host: `localhost:${port}`, ...more.headers },
        agent: false,
      },
      (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          body += part
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        )
      },
    )
    outgoing.on('error', reject).end()
  })
}
