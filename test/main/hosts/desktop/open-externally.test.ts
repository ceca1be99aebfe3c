import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openExternally } from '../../../../main/hosts/desktop/open-externally.ts'
import { nodeClock } from '../../../../main/ports/node-clock.ts'
import { createFilesPrivately } from '../../../../main/storage/private-files.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'

const opened: string[] = []
const shell = {
  openExternal: async (url: string) => void opened.push(url),
  openPath: async (path: string) => {
    opened.push(path)
    return ''
  },
}
const deps = { clock: nodeClock, randomBytes }
const open = openExternally(shell, { ...deps, folder: tmpdir(), platform: 'darwin' })

describe('the person’s browser', () => {
  it('opens web addresses, without TLS only those of this machine', async () => {
    const addresses = [
      'https://signin.example.test/authorize?x=1',
      'http://127.0.0.1:4790/authorize',
      'http://[::1]/',
    ]
    for (const address of addresses) await open(address)
    expect(opened).toEqual(addresses)
  })

  it('opens a file of the data folder if the address would be an argument of xdg-open', async () => {
    opened.length = 0
    const folder = temporaryFolder()
    const address = 'https://signin.example.test/authorize?state=secret-state'
    const used = await openExternally(shell, { ...deps, folder, platform: 'linux' })(address)
    const [path = ''] = opened
    expect(dirname(path)).toBe(folder)
    expect(path).not.toContain('secret')
    expect(readFileSync(path, 'utf8')).toContain(
      'location.replace("https://signin.example.test/authorize?state=secret-state")',
    )
    used()
    expect(existsSync(path)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')(
    'is opened under the file mask that the app was started with',
    async () => {
      const former = process.umask(0o002)
      onTestFinished(() => void process.umask(former))
      createFilesPrivately()
      const mask = () => {
        const now = process.umask(0)
        process.umask(now)
        return now
      }
      const masks: number[] = []
      const opening = {
        ...shell,
        openPath: async () => {
          masks.push(mask())
          return 'no browser'
        },
      }
      const opened = openExternally(opening, { ...deps, folder: temporaryFolder(), platform: 'linux' })
      await expect(opened('https://signin.example.test/')).rejects.toThrow('no browser')
      expect([...masks, mask()]).toEqual([0o002, 0o077])
    },
  )

  it('opens nothing else that a system would open', async () => {
    opened.length = 0
    for (const address of [
      '',
      'calc.exe',
      'file:///etc/passwd',
      'smb://server/share',
      'ms-settings:',
      'javascript:alert(1)',
      'data:text/html,x',
      'app://headroom/',
      'http://example.test/',
      'http://127.0.0.1.example.test/',
      'https://user:pass@example.test/',
    ])
      await expect([address, open(address)][1]).rejects.toThrow('this address must not be opened')
    expect(opened).toEqual([])
  })
})
