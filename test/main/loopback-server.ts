import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface LoopbackServer {
  readonly http: Server
  readonly origin: string
}

/** A server on this machine that belongs to the running test and is closed with it. */
export async function startLoopbackServer(listener?: RequestListener): Promise<LoopbackServer> {
  const http = createServer(listener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { http, origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }
}
