import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { ClaimedPort } from '../../network/loopback-servers.ts'
import { gate } from '../../network/request-gate.ts'
import { securityHeaders } from '../../network/security-headers.ts'
import type { Clock, Log, RandomBytes } from '../../ports/ports.ts'
import type { AdmittedWindows } from '../admitted-windows.ts'
import { readWindowFiles } from '../window-files.ts'
import type { Windows } from '../window-session.ts'
import { Admission } from './admission.ts'
import { BrowserWindows } from './browser-windows.ts'
import { routes } from './routes.ts'

export interface BrowserHostDeps {
  readonly windows: Windows
  readonly admitted: AdmittedWindows
  /** The built window: `dist/window`. */
  readonly windowFolder: string
  readonly port: ClaimedPort
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly log: Log
  /**
   * Called with the address to open, which contains a single-use code. Called again with a new address after
   * each use.
   */
  ready(url: string): void
}

/** Serves the window to browsers on this machine only. */
export async function startBrowserHost(
  deps: BrowserHostDeps,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { windows, admitted, windowFolder, clock, randomBytes, log } = deps
  const files = readWindowFiles(windowFolder)
  const admission = new Admission({ randomBytes, monotonicMs: () => clock.monotonicMs() })
  const browserWindows = new BrowserWindows({ windows, clock, randomBytes, admitted })
  const announce = (port: number) => deps.ready(`http://127.0.0.1:${port}/#code=${admission.code}`)

  let codeUsed = () => {}
  let admittedOn = (_socket: Socket) => {}
  const app = routes({
    files,
    admission,
    windows: browserWindows,
    randomBytes,
    log,
    codeUsed: () => codeUsed(),
    admittedOn: (socket) => admittedOn(socket),
  })
  await app.ready()

  const servers = deps.port.serve((port) => guarded(port, app.routing))
  codeUsed = () => announce(servers.port)
  admittedOn = (socket) => servers.keep(socket)
  announce(servers.port)

  return {
    port: servers.port,
    close: async () => {
      browserWindows.close()
      await servers.close()
      await app.close()
    },
  }
}

/** Checks each request with `gate`. Rejects a forbidden request before the framework parses any of it. */
function guarded(port: number, next: RequestListener): RequestListener {
  const headers = Object.entries(securityHeaders({ connectSrc: "'self'" }))
  return (request, response) => {
    for (const [name, value] of headers) response.setHeader(name, value)
    const { method = '', url = '', rawHeaders } = request
    const verdict = gate({ method, url, rawHeaders }, port)
    if (verdict.pass) {
      next(request, response)
      return
    }
    response.statusCode = verdict.status
    // Closes the connection, so that the rest of the request is not read.
    response.setHeader('connection', 'close')
    response.end()
  }
}
