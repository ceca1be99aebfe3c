import { downloadRuntime, installedRuntime } from './electron-runtime.ts'
import { hasDisplay } from './start-command.ts'

/** The facts about the machine that determine which host is used. */
export interface DesktopEnvironment {
  readonly platform: NodeJS.Platform
  readonly variables: Readonly<Record<string, string | undefined>>
  /** `undefined` if the system has no user ids. */
  readonly userId: number | undefined
  /** The path of Electron's executable, if it is installed. */
  installedRuntime(): string | undefined
  downloadRuntime(connectTimeoutMs: number): Promise<FoundHost>
}

/** The host that can run here. */
export type FoundHost =
  | { readonly kind: 'desktop'; readonly electronPath: string }
  /** `reason` completes "no desktop window here (…)". */
  | { readonly kind: 'browser'; readonly reason: string }

/**
 * Time limit of a connection in milliseconds. A person waits, so without internet access the attempt must
 * fail soon.
 */
const CONNECT_TIMEOUT_MS = 5_000

/** Whether Electron can start here. Downloads Electron's runtime if nothing else is missing. */
export async function findDesktop(environment: DesktopEnvironment = thisMachine()): Promise<FoundHost> {
  const obstacle = obstacleOf(environment)
  if (obstacle !== undefined) return { kind: 'browser', reason: obstacle }
  const installed = environment.installedRuntime()
  return installed === undefined
    ? environment.downloadRuntime(CONNECT_TIMEOUT_MS)
    : { kind: 'desktop', electronPath: installed }
}

function obstacleOf({ platform, variables, userId }: DesktopEnvironment): string | undefined {
  if (!hasDisplay(platform, variables)) return 'no display'
  // Chromium's sandbox does not work as root, and the window must not be shown without it.
  if (platform !== 'win32' && userId === 0) return 'running as root'
  return undefined
}

function thisMachine(): DesktopEnvironment {
  return {
    platform: process.platform,
    variables: process.env,
    userId: process.getuid?.(),
    installedRuntime,
    downloadRuntime: (connectTimeoutMs) =>
      downloadRuntime(connectTimeoutMs, (line) => void process.stderr.write(`${line}\n`)),
  }
}
