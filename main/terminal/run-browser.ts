import type { RunningApp } from '../app-start.ts'
import type { MetricsOptions } from '../metrics/metrics-options.ts'
import type { MetricsServing } from '../metrics/serve-metrics.ts'
import type { OpenUrl } from '../ports/open-url.ts'
import { portTaken } from './port-taken.ts'
import type { BrowserArguments, HostArguments } from './start-command.ts'
import { EXIT_FAILURE, EXIT_OK, type Terminal } from './terminal.ts'

export interface RunBrowserDeps {
  readonly terminal: Terminal
  startApp(args: HostArguments & BrowserArguments): Promise<RunningApp>
  serve(app: RunningApp, port: number, ready: (url: string) => void): Promise<{ close(): Promise<void> }>
  serveMetrics(app: RunningApp, options: MetricsOptions): Promise<MetricsServing>
  /** Absent where no browser can be opened, as without a display. */
  readonly openUrl?: (dataFolder: string) => OpenUrl
}

/** Serves the window to this machine's browsers until told to stop. */
export async function runBrowser(
  args: HostArguments & BrowserArguments,
  { terminal, startApp, serve, serveMetrics, openUrl }: RunBrowserDeps,
): Promise<number> {
  const stopped = new Promise<void>((resolve) => terminal.onStop(resolve))
  const app = await startApp(args)
  let metrics: MetricsServing | undefined
  try {
    metrics = args.metrics && (await serveMetrics(app, args.metrics))
    if (metrics?.kind === 'failed') {
      terminal.error(metrics.line)
      return EXIT_FAILURE
    }
    if (metrics !== undefined) terminal.out(`metrics ready: ${metrics.url}`)
    let toOpen = args.open ? openUrl?.(args.dataFolder) : undefined
    let opened: Promise<() => void> | undefined
    const wasUsed = () => void opened?.then((used) => used()).catch(() => {})
    const host = await serve(app, args.port, (url) => {
      terminal.out(`headroom ready: ${url}`)
      wasUsed()
      // Once: a later line is for a person who wants another window.
      opened = toOpen?.(url)
      opened?.catch(() => terminal.error('no browser could be opened: open the link above'))
      toOpen = undefined
    })
    await stopped
    wasUsed()
    await host.close()
    return EXIT_OK
  } catch (error) {
    const line = portTaken(error, args.port)
    if (line === undefined) throw error
    terminal.error(line)
    return EXIT_FAILURE
  } finally {
    if (metrics?.kind === 'serving') await metrics.close()
    await app.stop()
  }
}
