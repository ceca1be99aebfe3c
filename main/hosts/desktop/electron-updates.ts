import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppUpdater } from 'electron-updater'
import { z } from 'zod'
import type { Updater } from './updates.ts'

/** What the part of electron-updater does that is used here. */
export type FeedReader = Pick<
  AppUpdater,
  'checkForUpdates' | 'downloadUpdate' | 'quitAndInstall' | 'autoDownload' | 'autoInstallOnAppQuit' | 'logger'
> & { on(event: 'error', heard: (error: Error) => void): unknown }

export interface ElectronUpdatesDeps {
  readonly isPackaged: boolean
  readonly platform: NodeJS.Platform
  /** `process.resourcesPath`, in which the build puts `app-update.yml` when it names a feed. */
  readonly resources: string
  /** The package.json inside of the app: its homepage is the repository that the feed belongs to. */
  readonly packageFile: string
  /** Loaded only where there is a feed. */
  readonly load: () => Promise<FeedReader>
}

/** `undefined` where the build named no feed: nothing is ever asked for then. */
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
    // Not silent, so that a person sees what is installed; started again afterwards.
    install: () => loaded?.quitAndInstall(false, true),
    verifiesSignature: verifiesSignature(deps.platform, feed),
    releasePage: (version) => `${homepage}/releases/tag/v${encodeURIComponent(version)}`,
  }
}

function configured(reader: FeedReader): FeedReader {
  reader.autoDownload = false
  reader.autoInstallOnAppQuit = false
  // It logs addresses and paths by itself; failures come back as rejections, which are logged redacted.
  reader.logger = null
  reader.on('error', () => {})
  return reader
}

/**
 * macOS installs only what has the running app's signature. On Windows electron-updater compares the publisher, if the
 * feed's file names one, and installs anything if it names none. A deb's signature is not verified at all.
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
    return undefined // a local build names a folder
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
