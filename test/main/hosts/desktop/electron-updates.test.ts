import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { type AllPublishOptions, type DownloadOptions, HttpExecutor } from 'builder-util-runtime'
import { NsisUpdater } from 'electron-updater'
import { expect, test } from 'vitest'
import { electronUpdates, type FeedReader } from '../../../../main/hosts/desktop/electron-updates.ts'
import { proves } from '../../../proof/proves.ts'
import { listening } from '../../loopback-server.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'

const HOMEPAGE = 'https://code.example/us/headroom'

interface Parts {
  readonly feed?: string
  readonly homepage?: string
  readonly platform?: NodeJS.Platform
  readonly isPackaged?: boolean
  readonly load?: () => Promise<FeedReader>
}

function updaterOf({ feed, homepage = HOMEPAGE, platform = 'win32', isPackaged = true, load }: Parts) {
  const resources = temporaryFolder()
  if (feed !== undefined) writeFileSync(join(resources, 'app-update.yml'), feed)
  const packageFile = join(resources, 'package.json')
  writeFileSync(packageFile, JSON.stringify({ homepage }))
  const refused = () => Promise.reject(new Error('nothing is to be loaded here'))
  return electronUpdates({ isPackaged, platform, resources, packageFile, load: load ?? refused })
}

const GITHUB = 'provider: github\nowner: us\nrepo: headroom\n'

test('a checkout, a local build and an invalid homepage have no feed', () => {
  expect(updaterOf({ feed: GITHUB, isPackaged: false })).toBeUndefined()
  expect(updaterOf({})).toBeUndefined()
  expect(updaterOf({ feed: GITHUB, homepage: 'file:///usr/share/doc/headroom/' })).toBeUndefined()
  expect(updaterOf({ feed: GITHUB })).toBeDefined()
  proves('P4', { level: 2, cases: 4 })
})

test('installing inside the app requires a verified signature', () => {
  const signed = `${GITHUB}publisherName:\n  - The Headroom authors\n`
  const verifies = (feed: string, platform: NodeJS.Platform) =>
    updaterOf({ feed, platform })?.verifiesSignature
  expect(verifies(signed, 'win32')).toBe(true)
  // Without a publisher's name, electron-updater would install any file on Windows.
  expect(verifies(GITHUB, 'win32')).toBe(false)
  expect(verifies(GITHUB, 'darwin')).toBe(true)
  expect(verifies(signed, 'linux')).toBe(false)
  proves('P4', { level: 2, cases: 4 })
})

test('the page of a release is in the repository', () => {
  expect(updaterOf({ feed: GITHUB })?.releasePage('2.0.0')).toBe(`${HOMEPAGE}/releases/tag/v2.0.0`)
})

/**
 * The network client for electron-updater. It uses Node's own client, because Electron's does not exist here.
 */
class NodeExecutor extends HttpExecutor<ReturnType<typeof request>> {
  createRequest(options: object, callback: (response: IncomingMessage) => void) {
    return request(options, callback)
  }

  /**
   * Downloads through the part that is shared with Electron's client. That part also compares the checksum.
   */
  download(url: URL, destination: string, options: DownloadOptions): Promise<string> {
    return options.cancellationToken.createPromise((resolve, reject, onCancel) => {
      const callback = (error: Error | null) => (error ? reject(error) : resolve(destination))
      const call = { destination, options, onCancel, callback, responseHandler: null }
      this.doDownload({ hostname: url.hostname, port: url.port, path: url.pathname }, call, 0)
    })
  }
}

const INSTALLER = Buffer.from('an installer of the newer version')

/** electron-updater's own class for Windows, on a feed that this computer serves. */
async function withFeed(served: { version: string; sha512?: string }) {
  const asked: string[] = []
  const sha512 = served.sha512 ?? createHash('sha512').update(INSTALLER).digest('base64')
  const file = `files:\n  - url: setup.exe\n    sha512: ${sha512}\n    size: ${INSTALLER.length}\n`
  const server = createServer(({ url = '' }, response) => {
    // Each system asks for a list of its own name.
    const pathname = new URL(url, 'http://127.0.0.1').pathname.replace(/^\/latest.*\.yml$/, '/latest.yml')
    asked.push(pathname)
    if (pathname === '/latest.yml')
      response.end(
        `version: ${served.version}\n${file}path: setup.exe\nsha512: ${sha512}\nreleaseDate: '2026-01-01'\n`,
      )
    else if (pathname === '/setup.exe') response.end(INSTALLER)
    else response.writeHead(404).end()
  })
  const url = await listening(server)

  const folder = temporaryFolder()
  const app: NonNullable<ConstructorParameters<typeof NsisUpdater>[1]> = {
    version: '1.0.0',
    name: 'headroom',
    isPackaged: true,
    appUpdateConfigPath: join(folder, 'app-update.yml'),
    userDataPath: folder,
    baseCachePath: folder,
    whenReady: () => Promise.resolve(),
    relaunch: () => {},
    quit: () => void asked.push('quit'),
    onQuit: () => void asked.push('waits for the quit'),
  }
  const feed = `provider: generic\nurl: ${url}\nupdaterCacheDirName: headroom-updater\npublisherName:\n  - Us\n`
  writeFileSync(app.appUpdateConfigPath, feed)
  const options: AllPublishOptions = { provider: 'generic', url }
  const verified: string[][] = []
  const updater = updaterOf({
    feed,
    load: async () => {
      const reader = new NsisUpdater(null, app)
      Object.assign(reader, { httpExecutor: new NodeExecutor() })
      reader.setFeedURL(options)
      reader.disableDifferentialDownload = true
      reader.verifyUpdateCodeSignature = async (publishers) => {
        verified.push(publishers)
        return null
      }
      return reader
    },
  })
  if (updater === undefined) throw new Error('no updater')
  return { updater, asked, verified }
}

test('electron-updater finds a newer version in a feed, and downloads nothing', async () => {
  const { updater, asked } = await withFeed({ version: '2.0.0' })
  expect(await updater.check()).toBe('2.0.0')
  expect(asked).toEqual(['/latest.yml'])
  proves('P4', { level: 3, cases: 1 })
})

test('the same or an older version is not reported', async () => {
  for (const version of ['1.0.0', '0.9.0']) {
    const { updater } = await withFeed({ version })
    expect([version, await updater.check()]).toEqual([version, undefined])
  }
})

test('a download is verified by its publisher, and waits for a person', async () => {
  const { updater, asked, verified } = await withFeed({ version: '2.0.0' })
  await updater.check()
  await updater.download()
  expect(asked).toEqual(['/latest.yml', '/setup.exe'])
  expect(verified).toEqual([['Us']])
  proves('P4', { level: 3, cases: 1 })
})

test('a download that does not match the feed is rejected', async () => {
  const { updater } = await withFeed({ version: '2.0.0', sha512: Buffer.alloc(64, 1).toString('base64') })
  await updater.check()
  await expect(updater.download()).rejects.toThrow('sha512 checksum mismatch')
  proves('P4', { level: 3, cases: 1 })
})
