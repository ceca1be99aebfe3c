import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppUpdater } from 'electron-updater'
import { z } from 'zod'
import { restoreFileMask } from '../../storage/private-files.ts'
import type { Updater } from './updates.ts'

export type FeedReader = Pick<
  AppUpdater,
  'checkForUpdates' | 'downloadUpdate' | 'quitAndInstall' | 'autoDownload' | 'autoInstallOnAppQuit' | 'logger'
> & { on(event: 'error', heard: (error: Error) => void): unknown }

export interface ElectronUpdatesDeps {
  readonly isPackaged: boolean
  readonly platform: NodeJS.Platform
  /** `process.resourcesPath`. It contains `app-update.yml` if the build has a feed. */
  readonly resources: string
  /** The app's package.json, whose homepage is the repository of the feed. */
  readonly packageFile: string
  /** Loads electron-updater. Called only if there is a feed. */
  readonly load: () => Promise<FeedReader>
}

/** The updates of an installed app. `undefined` without a feed, so that no request is ever sent. */
export function electronUpdates(deps: ElectronUpdatesDeps): Updater | undefined {
  const feed = deps.isPackaged ? textOf(join(deps.resources, 'app-update.yml')) : undefined
  const homepage = homepageIn(textOf(deps.packageFile))
  if (feed === undefined || homepage === undefined) return undefined
  let loading: Promise<FeedReader> | undefined
  const reader = () => {
    loading ??= deps.load().then(configured)
    return loading
  }
  let loaded: FeedReader | undefined
  return {
    check: async () => {
      loaded = await reader()
      const found = await loaded.checkForUpdates()
      return found?.isUpdateAvailable ? found.updateInfo.version : undefined
    },
    download: async () => {
      await (await reader()).downloadUpdate()
    },
    // Shows the installer and restarts the app. The new process inherits the umask, so the original umask is
    // restored first.
    install: () => {
      restoreFileMask()
      loaded?.quitAndInstall(false, true)
    },
    verifiesSignature: verifiesSignature(deps.platform, feed),
    releasePage: (version) => `${homepage}/releases/tag/v${encodeURIComponent(version)}`,
  }
}

function configured(reader: FeedReader): FeedReader {
  reader.autoDownload = false
  reader.autoInstallOnAppQuit = false
  // The library's logger would write addresses and paths, so it is off. Errors also arrive as rejections,
  // which are redacted and logged.
  reader.logger = null
  reader.on('error', () => {})
  return reader
}

/**
 * Whether an installer's signature is verified.
 *
 * macOS installs only an update with the same signature as the running app. On Windows, electron-updater
 * compares the publisher if the feed names one. Otherwise it verifies nothing. The signature of a deb is not
 * verified.
 */
function verifiesSignature(platform: NodeJS.Platform, feed: string): boolean {
  if (platform === 'darwin') return true
  return platform === 'win32' && /^publisherName:/m.test(feed)
}

const manifest = z.object({ homepage: z.url({ protocol: /^https$/ }) })

function homepageIn(text: string | undefined): string | undefined {
  try {
    return manifest.parse(JSON.parse(text ?? '')).homepage.replace(/\/$/, '')
  } catch {
    return undefined // a local build, whose feed is a folder
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
