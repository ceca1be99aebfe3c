import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AdmittedWindows } from '../../../../main/hosts/admitted-windows.ts'
import { startBrowserHost } from '../../../../main/hosts/browser/browser-host.ts'
import { claimPort } from '../../../../main/network/loopback-servers.ts'
import { SteppedClock } from '../../stepped-clock.ts'
import { FakeWindows } from './fake-windows.ts'
import { type RawAnswer, type RequestParts, rawExchange, requestText } from './raw-http.ts'

export interface StartedHost {
  readonly host: Awaited<ReturnType<typeof startBrowserHost>>
  readonly port: number
  readonly windows: FakeWindows
  readonly clock: SteppedClock
  /** Every ready line so far. */
  readonly ready: readonly string[]
  readonly notes: readonly string[]
  readonly admitted: AdmittedWindows
  /** The ids of the windows reported as connected, in order. */
  readonly admissions: readonly string[]
  code(): string
  /** Exchanges the code of the latest ready line. */
  bearer(): Promise<string>
  get(target: string, headers?: RequestParts['headers']): Promise<RawAnswer>
  post(target: string, body: unknown, headers?: RequestParts['headers']): Promise<RawAnswer>
  stop(): Promise<void>
}

export const PAGE = '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><title>Headroom</title>'

export async function startHost(port = 0): Promise<StartedHost> {
  const folder = makeWindowFolder()
  const windows = new FakeWindows()
  const clock = new SteppedClock()
  const ready: string[] = []
  const notes: string[] = []
  const admissions: string[] = []
  const admitted = new AdmittedWindows({ clock, admitted: (id) => void admissions.push(id) })
  const host = await startBrowserHost({
    windows,
    admitted,
    windowFolder: join(folder, 'window'),
    port: await claimPort(port),
    clock,
    randomBytes,
    log: { note: (line, fields) => void notes.push(`${line} ${JSON.stringify(fields)}`) },
    ready: (url) => void ready.push(url),
  })
  const at = `127.0.0.1:${host.port}`
  const code = () => ready.at(-1)?.split('#code=')[1] ?? ''
  const post: StartedHost['post'] = (target, body, headers = []) =>
    rawExchange(
      host.port,
      requestText({
        method: 'POST',
        target,
        headers: [['host', at], ['origin', `http://${at}`], ['content-type', 'application/json'], ...headers],
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
  return {
    host,
    port: host.port,
    windows,
    clock,
    ready,
    notes,
    admitted,
    admissions,
    code,
    bearer: async () => JSON.parse((await post('/api/session', { code: code() })).body).bearer,
    get: (target, headers = []) =>
      rawExchange(host.port, requestText({ target, headers: [['host', at], ...headers] })),
    post,
    stop: async () => {
      await host.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A window as Vite builds it, next to a file that must never be served. */
function makeWindowFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-browser-'))
  const window = join(folder, 'window')
  mkdirSync(join(window, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'OUTSIDE')
  writeFileSync(join(window, 'index.html'), PAGE)
  writeFileSync(join(window, 'assets', 'index-Ab12Cd34.js'), 'export const it = 1\n')
  writeFileSync(join(window, 'assets', 'index-Ab12Cd34.js.map'), '{}')
  writeFileSync(join(window, 'favicon.svg'), '<svg/>')
  symlinkSync(join(folder, 'secret.txt'), join(window, 'linked.txt'))
  return folder
}

export const bearing = (bearer: string): NonNullable<RequestParts['headers']> => [
  ['authorization', `Bearer ${bearer}`],
]
