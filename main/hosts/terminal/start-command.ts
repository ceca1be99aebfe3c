import { type MetricsOptions, metricsExports, type OtlpOptions } from '../../metrics/metrics-options.ts'
import type { LockAttempt } from '../../storage/lock.ts'
import type { FoundHost } from './find-runtime.ts'
import type { StartFlags } from './flags.ts'
import { EXIT_PERSON_NEEDED, failWith, type Terminal } from './terminal.ts'

/** The arguments of every host with a window. */
export interface HostArguments {
  readonly dataFolder: string
  readonly simulate: boolean
  readonly metrics?: MetricsOptions
  /** The gateway's port for this run of the app. Default: the gateway stays on or off, as it last was. */
  readonly gatewayPort?: number
}

export interface StartDeps {
  readonly terminal: Terminal
  readonly defaultDataFolder: () => string | undefined
  openDataFolder(
    folder: string | undefined,
  ): { readonly kind: 'open'; readonly path: string } | { readonly kind: 'unusable'; readonly line: string }
  findDesktop(): Promise<FoundHost>
  /** Runs the desktop host, which locks the folder itself. */
  runDesktop(electronPath: string, args: HostArguments): Promise<number>
  lock(folder: string): LockAttempt
  runBrowser(args: HostArguments & BrowserArguments): Promise<number>
}

/** Additional arguments of the browser host. */
export interface BrowserArguments {
  readonly port: number
  readonly open: boolean
  /** Whether the ready line includes the single-use code. */
  readonly link: boolean
  /** Where to push metrics. Absent if they are not pushed. */
  readonly otlp?: OtlpOptions
  /** Why the browser host was chosen. Absent if a person chose it. */
  readonly hostReason?: string
}

/** Chooses the host of the window. If it is not the desktop, writes one line with the reason. */
export async function start(flags: StartFlags, deps: StartDeps): Promise<number> {
  const { terminal } = deps
  const fail = (line: string) => failWith(terminal, line)
  const exports = metricsExports(flags.metricsPort, terminal.environment)
  if (exports.kind === 'unusable') return failWith(terminal, exports.line, EXIT_PERSON_NEEDED)
  const { metrics, otlp } = exports
  const folder = deps.openDataFolder(flags.data ?? deps.defaultDataFolder())
  if (folder.kind === 'unusable') return fail(folder.line)
  const args: HostArguments = {
    dataFolder: folder.path,
    simulate: flags.simulate === true,
    ...(metrics && { metrics }),
    ...(flags.gatewayPort !== undefined && { gatewayPort: flags.gatewayPort }),
  }

  const lock = deps.lock(folder.path)
  if (lock.kind === 'unusable') return fail(lock.line)
  if (lock.kind === 'busy') {
    if (lock.holder?.host === 'desktop' && flags.host !== 'browser') await bringToFront()
    return fail(lock.line)
  }
  try {
    const search = flags.host === 'browser' ? undefined : await deps.findDesktop()
    if (search?.kind === 'desktop') {
      lock.release()
      return await deps.runDesktop(search.electronPath, args)
    }
    if (flags.host === 'desktop') return fail(`no desktop here (${search?.reason})`)
    if (search !== undefined)
      terminal.error(`no desktop here (${search.reason}); serving in a browser instead`)
    return await deps.runBrowser({
      ...args,
      port: flags.port,
      open: flags.open,
      link: flags.link,
      ...(otlp && { otlp }),
      ...(search !== undefined && { hostReason: search.reason }),
    })
  } finally {
    lock.release()
  }

  /** Starts the desktop host, which shows the running app's window and exits. */
  async function bringToFront(): Promise<void> {
    const search = await deps.findDesktop()
    if (search.kind === 'desktop') await deps.runDesktop(search.electronPath, args)
  }
}

export const hasDisplay = (platform: NodeJS.Platform, variables: Terminal['environment']): boolean =>
  platform !== 'linux' || Boolean(variables['DISPLAY'] || variables['WAYLAND_DISPLAY'])
