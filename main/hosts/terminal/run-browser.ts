import type { ProcessFacts } from '../../metrics/metric-list.ts'
import type { MetricsOptions, OtlpOptions } from '../../metrics/metrics-options.ts'
import type { MetricsPush } from '../../metrics/metrics-push.ts'
import type { MetricsClaim } from '../../metrics/metrics-server.ts'
import { metricsSource } from '../../metrics/metrics-source.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { ClaimedPort } from '../../network/loopback-servers.ts'
import type { OpenUrl } from '../../ports/ports.ts'
import { portTaken } from '../argument-error.ts'
import type { RunningApp } from '../start-app.ts'
import type { BrowserArguments, HostArguments } from './start-command.ts'
import { EXIT_OK, failWith, type Terminal } from './terminal.ts'

export interface RunBrowserDeps {
  readonly terminal: Terminal
  /** Rejects if the port is in use. */
  claimPort(port: number): Promise<ClaimedPort>
  claimMetrics(options: MetricsOptions): Promise<MetricsClaim>
  readonly facts: ProcessFacts
  pushMetrics(monitor: MonitorSurface, options: OtlpOptions): Promise<MetricsPush>
  startApp(args: HostArguments & BrowserArguments): Promise<RunningApp>
  serve(app: RunningApp, port: ClaimedPort, ready: (url: string) => void): Promise<{ close(): Promise<void> }>
  /** Opens a browser. Absent if impossible, for example without a display. */
  readonly openUrl?: (dataFolder: string) => OpenUrl
}

/**
 * Serves the window to browsers on this machine until stopped.
 *
 * The ports are opened before the app starts. If a port is in use, the command ends before the app has
 * refreshed and replaced a rotating token.
 */
export async function runBrowser(
  args: HostArguments & BrowserArguments,
  deps: RunBrowserDeps,
): Promise<number> {
  const { terminal } = deps
  const stopped = new Promise<void>((resolve) => terminal.onStop(resolve))
  const port = await claimed(args.port, deps)
  if ('line' in port) return failWith(terminal, port.line)
  const taken = await whyGatewayCannot(args.gatewayPort, deps)
  if (taken !== undefined) {
    await port.close()
    return failWith(terminal, taken)
  }
  const metrics = args.metrics && (await deps.claimMetrics(args.metrics))
  try {
    if (metrics?.kind === 'failed') return failWith(terminal, metrics.line)
    await serveUntil(stopped, { args, port, metrics, deps })
    return EXIT_OK
  } finally {
    if (metrics?.kind === 'claimed') await metrics.close()
    await port.close()
  }
}

async function claimed(
  port: number,
  { claimPort }: RunBrowserDeps,
  flag?: string,
): Promise<ClaimedPort | { readonly line: string }> {
  try {
    return await claimPort(port)
  } catch (error) {
    const line = portTaken(error, port, flag)
    if (line === undefined) throw error
    return { line }
  }
}

/** Checks the gateway's port before the app starts. Returns the reason if the port can't be used. */
async function whyGatewayCannot(port: number | undefined, deps: RunBrowserDeps): Promise<string | undefined> {
  if (port === undefined || port === 0) return undefined
  const free = await claimed(port, deps, '--gateway-port')
  if ('line' in free) return free.line
  await free.close()
  return undefined
}

interface Serving {
  readonly args: HostArguments & BrowserArguments
  readonly port: ClaimedPort
  readonly metrics: Extract<MetricsClaim, { kind: 'claimed' }> | undefined
  readonly deps: RunBrowserDeps
}

async function serveUntil(stopped: Promise<void>, { args, port, metrics, deps }: Serving): Promise<void> {
  const { terminal, startApp, serve, openUrl, facts } = deps
  const app = await startApp(args)
  let pushed: MetricsPush | undefined
  try {
    for (const notice of app.notices) terminal.out(notice)
    const served = metrics?.serve(metricsSource(app.monitor, facts))
    if (args.otlp) pushed = await deps.pushMetrics(app.monitor, args.otlp)
    if (served !== undefined) terminal.out(`metrics ready: ${served.url}`)
    const gateway = app.gateway.summary
    if (gateway.state === 'serving') terminal.out(`gateway ready: ${gateway.url}`)
    if (gateway.state === 'failed') terminal.error(`the gateway can't serve: ${gateway.why}`)
    let toOpen = args.open ? openUrl?.(args.dataFolder) : undefined
    let opened: Promise<() => void> | undefined
    const wasUsed = () => void opened?.then((used) => used()).catch(() => {})
    const host = await serve(app, port, (url) => {
      if (args.link) terminal.out(`headroom ready: ${url}`)
      wasUsed()
      // Only the first address is opened in a browser. Later addresses are for further windows.
      opened = toOpen?.(url)
      opened?.catch(() => terminal.error('no browser opened: open the link above yourself'))
      toOpen = undefined
    })
    if (!args.link) terminal.out(`headroom ready: http://127.0.0.1:${port.port}/`)
    await stopped
    wasUsed()
    await host.close()
  } finally {
    await pushed?.close()
    await app.stop()
  }
}
