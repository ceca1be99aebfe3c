import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { cannotProve, proves } from '../../../proof/proves.ts'
import { AS_OTHER_USER, isRoot } from '../../storage/other-user.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'

const LAUNCH = fileURLToPath(new URL('../../../../main/launch.js', import.meta.url))
const PERSONS_MASK = 0o002

/** Every argument list and environment that `user` can read, and the files of `paths` that it can. */
const SPY = `
const { readdirSync, readFileSync } = require('node:fs')
const read = (path) => { try { return readFileSync(path, 'latin1') } catch { return '' } }
for (const pid of readdirSync('/proc').filter(Number)) console.log(read('/proc/' + pid + '/cmdline') + read('/proc/' + pid + '/environ'))
for (const path of process.argv.slice(1)) console.log('FILE ' + read(path))
console.log('LOOKED')
`

function seenBy(user: readonly string[], paths: readonly string[]): string {
  const { stdout } = spawnSync(process.execPath, [...user, '-e', SPY, ...paths], {
    cwd: '/',
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  return stdout
}

/** A browser as a person may have it. It is a program that gets the address to open, and keeps running. */
async function fakeBrowser(folder: string) {
  const told = createServer()
  await new Promise<void>((resolve) => told.listen(0, '127.0.0.1', resolve))
  const address = told.address()
  const port = typeof address === 'object' ? address?.port : 0
  const script = join(folder, 'browser.mjs')
  // It is started by a shell, because the interpreter line of a script can't contain a path with a space.
  const path = join(folder, 'browser')
  writeFileSync(path, `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${script} "$@"\n`)
  writeFileSync(
    script,
    `import { connect } from 'node:net'
import { readFileSync } from 'node:fs'
const what = process.argv[2].replace(/^file:\\/\\//, '')
let page = ''
try { page = readFileSync(what, 'utf8') } catch {}
connect(${port}, '127.0.0.1').end(JSON.stringify({ argument: process.argv[2], page, pid: process.pid, mask: process.umask() }))
setInterval(() => {}, 1_000)
`,
  )
  chmodSync(path, 0o755)
  // Makes this program the one with which the desktop opens pages.
  mkdirSync(join(folder, 'applications'))
  writeFileSync(
    join(folder, 'applications', 'test-browser.desktop'),
    `[Desktop Entry]\nType=Application\nName=Test\nExec=${path} %u\nMimeType=text/html;x-scheme-handler/http;\n`,
  )
  // The browser is also set for addresses. So the test sees whether it gets an address or a file.
  const defaults = ['text/html', 'x-scheme-handler/http'].map((type) => `${type}=test-browser.desktop\n`)
  writeFileSync(join(folder, 'mimeapps.list'), `[Default Applications]\n${defaults.join('')}`)
  const opened = once(told, 'connection').then(async ([socket]) => {
    let text = ''
    for await (const part of socket as AsyncIterable<Buffer>) text += part.toString()
    told.close()
    const found = JSON.parse(text) as {
      argument: string
      page: string
      pid: number
      mask: number
    }
    onTestFinished(() => {
      process.kill(found.pid, 'SIGKILL')
    })
    return found
  })
  onTestFinished(() => void told.close())
  return { opened }
}

async function startedIn(folder: string, data: string): Promise<{ child: ChildProcess; ready: string }> {
  // The person's own file mask. The app's mask is stricter.
  const before = process.umask(PERSONS_MASK)
  const child = spawn(
    process.execPath,
    [LAUNCH, 'start', '--host', 'browser', '--port', '0', '--simulate', '--data', data],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        DISPLAY: ':9',
        XDG_CURRENT_DESKTOP: '',
        XDG_CONFIG_HOME: folder,
        XDG_DATA_HOME: folder,
      },
    },
  )
  process.umask(before)
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, ready: line.replace('headroom ready: ', '') }
}

test.runIf(process.platform === 'linux')(
  'while the browser opens, no argument list contains the code, and no other user can read a file with it',
  async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o755)
    const data = join(folder, 'data')
    const browser = await fakeBrowser(folder)
    const { ready } = await startedIn(folder, data)
    const { argument, page } = await browser.opened
    const code = ready.split('#code=')[1] ?? ''
    expect(code.length).toBeGreaterThan(40)
    // Booleans are compared, so that no failure prints the code.
    expect(argument.includes(code), 'the code is in an argument list').toBe(false)
    // The owner reaches the app: the page forwards to the address of the ready line.
    expect(page.includes(JSON.stringify(ready)), 'the file leads on').toBe(true)
    const path = argument.replace('file://', '')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const seen = isRoot ? seenBy(AS_OTHER_USER, [path]) : seenBy([], [])
    expect(seen).toContain('LOOKED')
    // The spy does see the arguments of the opened program.
    expect(seen).toContain(argument)
    expect(seen.includes(code), 'another user saw the code').toBe(false)
    if (isRoot) proves(['T11', 'T13'], { level: 3, cases: 1 })
    else cannotProve('T13', 3, 'only root can look as another user')
    const { port, origin } = new URL(ready)
    const answer = await fetch(`${origin}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ code }),
    })
    expect([port !== '', answer.status]).toEqual([true, 200])
    await expect.poll(() => readdirSync(data).filter((name) => name.startsWith('open-'))).toEqual([])
  },
  60_000,
)

test.runIf(process.platform === 'linux')(
  'the browser opens under the person’s file mask, while the app keeps its own',
  async () => {
    const folder = temporaryFolder()
    const data = join(folder, 'data')
    const browser = await fakeBrowser(folder)
    const { child } = await startedIn(folder, data)
    const { mask } = await browser.opened
    // The browser's downloads get the mode that the person has chosen.
    expect(mask).toBe(PERSONS_MASK)
    const own = () => /^Umask:\s+(\d+)$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
    await expect.poll(own).toBe('0077')
    for (const name of readdirSync(data))
      expect([name, statSync(join(data, name)).mode & 0o077]).toEqual([name, 0])
    proves('D7', { level: 3, cases: 1 })
  },
  60_000,
)
