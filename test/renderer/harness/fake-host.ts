import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { AlertPreferences } from '../../../app/contract/alerts.ts'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import type { TimeZone } from '../../../app/contract/units.ts'
import { EVENTS, NOW_MS } from '../fixtures.ts'
import { ALERTS, CLOSED_ALERTS, KEY_SETTINGS, REPORT, rowDetailsOf } from './memory-fixtures.ts'
import { historyOf } from './states.ts'

interface HistoryQuery {
  readonly profile: string
  readonly category: string
  readonly fromMs: number
  readonly toMs: number
}

export interface FakeHost {
  readonly origin: string
  /** Every command that arrived, in order, with its argument. */
  readonly asked: readonly { readonly name: string; readonly arg: unknown }[]
  /** Creates a code that can be used once, and returns the link with it. */
  link(): string
  push(channel: string, value: unknown): void
  show(...snapshots: readonly Snapshot[]): void
  /** This host's present time. It starts at the time in the design's picture. Epoch ms. */
  nowMs(): number
  /** Sets the answer of a command from now on, in place of its usual answer. */
  answer(name: string, value: unknown): void
  /** Forgets every bearer and cuts every connection, as a restart does. */
  restart(): void
  /** Answers nothing and cuts every connection, until `wake`. */
  sleep(): void
  wake(): void
  /** Number of requests while it slept. */
  refused(): number
  close(): Promise<void>
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * Speaks the browser host's protocol with scripted answers. The built window can't tell it from the real
 * host.
 */
export async function startFakeHost(dist: string, shown: Snapshot): Promise<FakeHost> {
  const startedMs = Date.now()
  const codes = new Set<string>()
  const bearers = new Set<string>()
  const pushes = new Set<ServerResponse>()
  const asked: { name: string; arg: unknown }[] = []
  const answers = new Map<string, unknown>()
  let snapshots: readonly Snapshot[] = [shown]
  let events: readonly LoggedEvent[] = EVENTS
  let keySettings = KEY_SETTINGS.settings
  let zone: TimeZone = 'local'
  let alertPreferences: AlertPreferences = { urgentBypass: true }
  let asleep = false
  let refused = 0
  let made = 0

  const nowMs = () => NOW_MS + Date.now() - startedMs
  /** The snapshot with the present time, as the main process sends it. */
  const asOfNow = (snapshot: Snapshot): Snapshot => ({ ...snapshot, at: nowMs() })

  const answerTo = (name: string, arg: unknown): unknown => {
    if (answers.has(name)) return answers.get(name)
    switch (name) {
      case 'hello':
        return { version: '0.1.0', host: 'browser', hostReason: 'browser: no display', keeps: 'sealed' }
      case 'snapshots':
        return snapshots.map(asOfNow)
      case 'events':
        return events.filter((event) => event.seq > (arg as { after: number }).after)
      case 'history': {
        const { profile, category, fromMs, toMs } = arg as HistoryQuery
        const of = snapshots.find((one) => one.profile.id === profile)
        return of ? historyOf(of, category, toMs - fromMs) : { points: [], rejectedAt: [] }
      }
      case 'trends': {
        const { profile, fromMs, toMs } = arg as HistoryQuery
        const of = snapshots.find((one) => one.profile.id === profile)
        const rows = of?.requests.filter(({ source }) => source !== 'default') ?? []
        return Object.fromEntries(
          rows.map(({ category }) => [
            category,
            historyOf(of as Snapshot, category, toMs - fromMs).points.map(({ at, remaining }) => [
              at,
              remaining,
            ]),
          ]),
        )
      }
      case 'programHistory':
        return { from: 0, resolutionMs: 60_000, programs: [], own: [], elsewhere: [] }
      case 'alerts':
        return ALERTS
      case 'alertPreferences':
        return alertPreferences
      case 'setAlertPreferences': {
        const { quietHours, snoozedUntil } = { ...alertPreferences, ...(arg as object) }
        alertPreferences = {
          urgentBypass: true,
          ...(quietHours && { quietHours }),
          ...(snoozedUntil && { snoozedUntil }),
        }
        return alertPreferences
      }
      case 'timeZone':
        return zone
      case 'setTimeZone':
        zone = (arg as { zone: TimeZone }).zone
        push('timeZoneChanged', zone)
        return { ok: true }
      case 'closedAlerts':
        return CLOSED_ALERTS
      case 'pastEvents':
      case 'windows':
        return []
      case 'rowDetails':
        return { ok: true, details: rowDetailsOf((arg as { category: string }).category) }
      case 'alertThresholds':
      case 'setAlertThreshold':
        return { below: 0.2, perCategory: { Positions: 0.3 } }
      case 'keySettings':
        return { ...KEY_SETTINGS, settings: keySettings }
      case 'setKeySettings': {
        const { profile: _, ...changes } = arg as { profile: string }
        keySettings = { ...keySettings, ...changes }
        return { ...KEY_SETTINGS, settings: keySettings }
      }
      case 'storage':
        return { kind: 'ok', bytes: 12_582_912, rawMs: 172_800_000, rollupMs: 7_776_000_000 }
      case 'report': {
        const { fromMs, toMs } = arg as { fromMs: number; toMs: number }
        return { ...REPORT, from: fromMs, to: toMs }
      }
      case 'exportFile':
        return { ok: true, file: { name: 'headroom-report.csv', mediaType: 'text/csv', text: 'a,b\n1,2\n' } }
      case 'openStream':
        return { ok: true, stream: 's9' }
      case 'connect':
        return { ok: true, profile: 'main' }
      case 'gateway':
        return { gateway: { state: 'off' }, programs: [], nextPort: 4791 }
      case 'recordedUses':
        return { rows: {}, programs: [] }
      case 'setVisible':
        return null
      default:
        return { ok: true }
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://host').pathname
    if (path === '/api/session') {
      const { code } = JSON.parse(await bodyOf(request)) as { code: string }
      if (!codes.delete(code)) return send(response, 401, { error: 'unknown code' })
      made += 1
      bearers.add(`bearer-${made}`)
      return send(response, 200, { bearer: `bearer-${made}` })
    }
    if (path.startsWith('/api/')) {
      const bearer = (request.headers.authorization ?? '').replace('Bearer ', '')
      if (!bearers.has(bearer)) return send(response, 401, { error: 'unknown bearer' })
      if (path === '/api/pushes') {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        response.write('\n')
        pushes.add(response)
        const alive = setInterval(() => response.write('\n'), 5000)
        response.on('close', () => {
          clearInterval(alive)
          pushes.delete(response)
        })
        return
      }
      const name = path.slice('/api/command/'.length)
      const arg: unknown = JSON.parse(await bodyOf(request))
      asked.push({ name, arg })
      return send(response, 200, { value: answerTo(name, arg) ?? null })
    }
    sendFile(dist, path, response)
  }

  const server = createServer((request, response) => {
    if (asleep) {
      refused += 1
      request.socket.destroy()
      return
    }
    handle(request, response).catch((error: unknown) => send(response, 500, { error: String(error) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const push = (channel: string, value: unknown) => {
    for (const response of pushes) response.write(`${JSON.stringify({ channel, value })}\n`)
  }
  return {
    origin,
    asked,
    link: () => {
      made += 1
      const code = `code-${made}`
      codes.add(code)
      return `${origin}/#code=${code}`
    },
    push: (channel, value) => {
      if (channel === 'eventHappened') events = [...events, value as LoggedEvent]
      push(channel, value)
    },
    show: (...next) => {
      snapshots = next
      for (const snapshot of next) push('snapshotChanged', asOfNow(snapshot))
    },
    nowMs,
    answer: (name, value) => answers.set(name, value),
    restart: () => {
      bearers.clear()
      server.closeAllConnections()
    },
    sleep: () => {
      asleep = true
      server.closeAllConnections()
    },
    wake: () => {
      asleep = false
    },
    refused: () => refused,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function sendFile(dist: string, path: string, response: ServerResponse): void {
  const name = path === '/' ? '/index.html' : path
  const contentType = CONTENT_TYPES[extname(name)]
  if (contentType === undefined || name.includes('..')) {
    response.writeHead(404).end()
    return
  }
  const bytes = readFileSync(join(dist, name))
  // The same policy as in the desktop's window. It has no nonce, so no library can insert a style.
  response.writeHead(200, {
    'content-type': contentType,
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'",
  })
  response.end(bytes)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
