import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A program of an attacker on another port of this machine. It can serve any page. */
export class HostileServer {
  readonly port: number
  readonly #server: Server
  /** Requests for its own pages, and all other requests that arrived. */
  readonly asked: string[] = []
  /** The address that its pages ask a browser to report their violations to. */
  reportTo = ''

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('request', (request, response) => {
      this.asked.push(`${request.method} ${request.url}`)
      if (request.url?.startsWith('/worker')) {
        const target = new URL(request.url, 'http://x').searchParams.get('imports') ?? ''
        response.setHeader('content-type', 'text/javascript')
        response.end(`importScripts(${JSON.stringify(target)}); postMessage('ran')`)
        return
      }
      response.setHeader('content-type', 'text/html')
      if (request.url === '/reporting')
        response.setHeader('content-security-policy', `img-src 'none'; report-uri ${this.reportTo}`)
      response.end('<!doctype html><title>elsewhere</title><body></body>')
    })
  }

  static async start(): Promise<HostileServer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new HostileServer(server)
  }

  page(name = '127.0.0.1', path = '/'): string {
    return `http://${name}:${this.port}${path}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
