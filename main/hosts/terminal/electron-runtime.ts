import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { nodeClock } from '../../ports/node-clock.ts'
import { type Downloader, fetchTo } from './bounded-download.ts'
import type { FoundHost } from './find-runtime.ts'

/** The part of `@electron/get` that is used. */
interface ElectronGet {
  downloadArtifact(details: {
    readonly version: string
    readonly artifactName: 'electron'
    readonly platform: string
    readonly arch: string
    readonly checksums: Readonly<Record<string, string>>
    readonly cacheRoot?: string
    readonly downloader: Downloader
  }): Promise<string>
}

const packageFile = z.object({ version: z.string() })
const checksumFile = z.record(z.string(), z.string())

const require = createRequire(import.meta.url)
const UNPACK_LIMIT_MS = 120_000

/**
 * The path of an installed runtime. `electron/index.js` looks in the same places, but starts a download if it
 * finds none.
 */
export function installedRuntime(): string | undefined {
  const folder = electronFolder()
  if (folder === undefined) return undefined
  try {
    const { version } = packageFile.parse(readJson(join(folder, 'package.json')))
    const { ELECTRON_OVERRIDE_DIST_PATH } = process.env
    const dist = ELECTRON_OVERRIDE_DIST_PATH ?? join(folder, 'dist')
    const executable = join(dist, readFileSync(join(folder, 'path.txt'), 'utf8'))
    const unpacked = readFileSync(join(dist, 'version'), 'utf8').trim().replace(/^v/, '')
    return unpacked === version && existsSync(executable) ? executable : undefined
  } catch {
    return undefined // missing or incomplete
  }
}

/**
 * Downloads and unpacks Electron's runtime. `say` receives progress lines. Never throws: if the download
 * fails, the result is the browser host, with the reason.
 *
 * Electron's npm package would download the runtime at first use, but without a time limit, and without
 * progress for half a minute. Here, the package's library downloads the archive, so that its mirrors, proxy,
 * cache and checksums apply. `install.js` unpacks the archive from the cache.
 */
export async function downloadRuntime(
  connectTimeoutMs: number,
  say: (line: string) => void,
): Promise<FoundHost> {
  const folder = electronFolder()
  if (folder === undefined) return { kind: 'browser', reason: 'Electron is not installed' }
  try {
    const { version } = packageFile.parse(readJson(join(folder, 'package.json')))
    const { electron_config_cache: cacheRoot } = process.env
    const { downloadArtifact } = await electronGet(folder)
    say(`downloading Electron ${version} (about 120 MB, once) …`)
    await downloadArtifact({
      version,
      artifactName: 'electron',
      platform: process.platform,
      arch: process.arch,
      checksums: checksumFile.parse(readJson(join(folder, 'checksums.json'))),
      ...(cacheRoot !== undefined && { cacheRoot }),
      downloader: {
        download: (url, file) => fetchTo(url, file, { clock: nodeClock, connectTimeoutMs, say }),
      },
    })
    await unpack(folder)
  } catch {
    return NOT_DOWNLOADED
  }
  const electronPath = installedRuntime()
  return electronPath === undefined ? NOT_DOWNLOADED : { kind: 'desktop', electronPath }
}

const NOT_DOWNLOADED = { kind: 'browser', reason: "Electron's runtime could not be downloaded" } as const

function electronFolder(): string | undefined {
  try {
    return dirname(require.resolve('electron/package.json'))
  } catch {
    return undefined // a development dependency, which an installed Headroom lacks
  }
}

/** Loads `@electron/get`, a dependency of Electron's package and not of ours. */
async function electronGet(folder: string): Promise<ElectronGet> {
  const path = createRequire(join(folder, 'package.json')).resolve('@electron/get')
  return import(pathToFileURL(path).href)
}

function unpack(folder: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const child = spawn(process.execPath, [join(folder, 'install.js')], {
    // All output goes to stderr, because stdout is for the ready line.
    stdio: ['ignore', 2, 2],
    timeout: UNPACK_LIMIT_MS,
    env: {
      ...process.env,
      ELECTRON_INSTALL_PLATFORM: process.platform,
      ELECTRON_INSTALL_ARCH: process.arch,
    },
  })
  child.on('error', reject)
  child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`install.js ended with ${code}`))))
  return promise
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
