import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { proves } from '../proof/proves.ts'
import { type Ended, runNode } from './hosts/terminal/run-node.ts'
import { temporaryFolder } from './storage/temporary-folder.ts'

const LAUNCH = fileURLToPath(new URL('../../main/launch.js', import.meta.url))
const STAMP = fileURLToPath(new URL('../../main/packaging/build-stamp.js', import.meta.url))
const BUILDING = 'building Headroom (a few seconds, once) …\n'
/**
 * A Node that reports an old version, but only in the first process. The process that it starts is this Node.
 */
const OLD_NODE = [
  '--import',
  `data:text/javascript,${encodeURIComponent(
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })",
  )}`,
]

/** The output of the "build": a program that prints its arguments and does what the first one says. */
const BUILT = `
  if (process.argv[2] === 'wait') {
    process.on('SIGTERM', () => process.exit(3))
    setInterval(() => {}, 1000)
  }
  console.log(process.argv.slice(2).join(' '))
  if (process.argv[2] === 'fail') process.exitCode = 7
`

interface Checkout {
  readonly folder: string
  write(path: string, text: string): void
  /** Puts this Node where the npm package `node` installs its own. */
  withNewerNode(): void
  launch(args?: readonly string[], nodeArgs?: readonly string[]): Promise<Ended>
  builds(): number
}

/** A source checkout with a build that takes a moment and counts itself. */
function checkout(build = 'write()'): Checkout {
  const folder = temporaryFolder()
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const path of ['app/a.ts', 'renderer/r.ts', 'main/hosts/terminal/headroom.ts', 'vite.config.ts'])
    write(path, '')
  write('package.json', '{"type":"module"}')
  write('node_modules/vite/package.json', '{"type":"module"}')
  write(
    'node_modules/vite/bin/vite.js',
    `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
     import { sourceFingerprint, writeStamp } from '../../../main/packaging/build-stamp.js'
     const sources = sourceFingerprint('.')
     appendFileSync('builds.txt', 'x')
     console.log('noise of the build')
     const write = () => {
       mkdirSync('dist/hosts', { recursive: true })
       writeFileSync('dist/hosts/headroom.js', ${JSON.stringify(BUILT)})
       writeStamp('.', sources)
     }
     setTimeout(() => { ${build} }, 100)`,
  )
  copyFileSync(LAUNCH, join(folder, 'main/launch.js'))
  mkdirSync(join(folder, 'main/packaging'), { recursive: true })
  copyFileSync(STAMP, join(folder, 'main/packaging/build-stamp.js'))
  const builds = join(folder, 'builds.txt')
  return {
    folder,
    withNewerNode: () => {
      write('node_modules/node/package.json', '{}')
      mkdirSync(join(folder, 'node_modules/node/bin'))
      symlinkSync(process.execPath, join(folder, 'node_modules/node/bin/node'))
    },
    write,
    launch: (args = [], nodeArgs = []) =>
      runNode([...nodeArgs, join(folder, 'main/launch.js'), ...args]).ended,
    builds: () => (existsSync(builds) ? readFileSync(builds, 'utf8').length : 0),
  }
}

test('the first start builds, with one line on stderr, and the second does not', async () => {
  const { launch, builds } = checkout()
  expect(await launch(['watch', '--json'])).toEqual({
    exitCode: 0,
    stdout: 'watch --json\n',
    stderr: BUILDING,
  })
  expect(await launch()).toEqual({ exitCode: 0, stdout: '\n', stderr: '' })
  expect(builds()).toBe(1)
})

test('a manual build is not repeated', async () => {
  const { launch, builds, folder } = checkout()
  const vite = pathToFileURL(join(folder, 'node_modules/vite/bin/vite.js')).href
  const byHand = runNode(['--eval', `process.chdir(${JSON.stringify(folder)}); import('${vite}')`])
  expect((await byHand.ended).exitCode).toBe(0)
  expect(await launch(['x'])).toEqual({ exitCode: 0, stdout: 'x\n', stderr: '' })
  expect(builds()).toBe(1)
})

test('a changed, added or removed source is built', async () => {
  const { launch, builds, write, folder } = checkout()
  await launch()
  write('app/a.ts', 'changed')
  expect((await launch()).stderr).toBe(BUILDING)
  write('renderer/deep/new.ts', '')
  expect((await launch()).stderr).toBe(BUILDING)
  rmSync(join(folder, 'renderer/deep/new.ts'))
  expect((await launch()).stderr).toBe(BUILDING)
  expect(builds()).toBe(4)
})

test('two starts at once build once, and both run', async () => {
  const { launch, builds } = checkout()
  const both = await Promise.all([launch(['a']), launch(['b'])])
  expect(both.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([
    [0, 'a\n'],
    [0, 'b\n'],
  ])
  expect(builds()).toBe(1)
})

test('a failed build shows its output on stderr, and is retried', async () => {
  const { launch, builds } = checkout('process.exit(1)')
  const { exitCode, stdout, stderr } = await launch()
  expect(exitCode).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain('noise of the build')
  expect(stderr).toContain('the build failed')
  await launch()
  expect(builds()).toBe(2)
})

test('an installed package has nothing to build', async () => {
  const { launch, builds, write, folder } = checkout()
  rmSync(join(folder, 'vite.config.ts'))
  write('dist/hosts/headroom.js', BUILT)
  expect(await launch(['x'])).toEqual({ exitCode: 0, stdout: 'x\n', stderr: '' })
  expect(builds()).toBe(0)
})

test('the exit code of the program is the exit code of the launcher', async () => {
  const { launch } = checkout()
  expect((await launch(['fail'])).exitCode).toBe(7)
})

test('a start that would print tokens, by NODE_DEBUG, is exit 1 and one line', async () => {
  const ended = await runNode([LAUNCH, 'simulate', '--port', '0'], { NODE_DEBUG: 'net' }).ended
  expect(ended).toMatchObject({ exitCode: 1, stdout: '' })
  expect(ended.stderr).toContain('headroom: unset NODE_DEBUG: with it, Node prints tokens\n')
})

test.skipIf(process.platform === 'win32')('a start in a deleted folder is exit 1 and one line', async () => {
  const script = 'cd "$1" && rmdir "$1" && exec "$2" "$3"'
  const args = ['-c', script, 'sh', temporaryFolder(), process.execPath, LAUNCH]
  const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stdout.on('data', (text: Buffer) => (said += text))
  child.stderr.on('data', (text: Buffer) => (said += text))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(said).toBe('headroom: the working folder was deleted; change to another one\n')
})

test('an old Node without a newer one is exit 1 and one line with the command that installs one', async () => {
  const { launch, folder } = checkout()
  const { exitCode, stdout, stderr } = await launch([], OLD_NODE)
  expect(exitCode).toBe(1)
  expect(stdout).toBe('')
  const needs = `headroom: needs Node 24 or newer; this is ${process.version}. Install Node 24, or to use the one that npm installs, `
  expect(stderr).toBe(`${needs}in ${folder} run: npm install --ignore-scripts=false\n`)
  rmSync(join(folder, 'vite.config.ts'))
  expect((await launch([], OLD_NODE)).stderr).toBe(
    `${needs}run: npm install --global --ignore-scripts=false ./headroom-*.tgz\n`,
  )
})

const withSymlinks = test.skipIf(process.platform === 'win32')

withSymlinks('an old Node hands over to the newer one, with arguments, exit code and signals', async () => {
  const { launch, withNewerNode, folder } = checkout()
  withNewerNode()
  const first = await launch(['fail', 'a b'], OLD_NODE)
  expect(first).toEqual({ exitCode: 7, stdout: 'fail a b\n', stderr: BUILDING })

  const { child, said, ended } = runNode([...OLD_NODE, join(folder, 'main/launch.js'), 'wait'])
  await said('wait')
  child.kill('SIGTERM')
  expect((await ended).exitCode).toBe(3)
})

withSymlinks('a launcher that is killed outright takes the program with it', async () => {
  const { launch, withNewerNode, folder } = checkout()
  withNewerNode()
  await launch()
  const { child, said, ended } = runNode([...OLD_NODE, join(folder, 'main/launch.js'), 'wait'])
  await said('wait')
  child.kill('SIGKILL')
  // The program keeps the launcher's stdout open, so this resolves once both have ended.
  expect((await ended).exitCode).toBeNull()
})

test('a build gets none of Headroom’s secrets', async () => {
  const project = checkout("writeFileSync('environment.json', JSON.stringify(process.env)); write()")
  const secrets = {
    HEADROOM_PASSPHRASE: 'CANARY-passphrase',
    HEADROOM_REFRESH_TOKEN: 'CANARY-refresh-token',
    HEADROOM_CLIENT_SECRET: 'CANARY-client-secret',
    HEADROOM_METRICS_TOKEN: 'CANARY-metrics-token',
  }
  for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value)
  try {
    await project.launch()
  } finally {
    vi.unstubAllEnvs()
  }
  const environment = readFileSync(join(project.folder, 'environment.json'), 'utf8')
  expect(environment).toContain('"PATH"')
  expect(environment).not.toContain('CANARY')
  proves('T11', { level: 3, cases: Object.keys(secrets).length })
})

test.skipIf(process.platform === 'win32')(
  'SIGUSR1 opens no inspector',
  async () => {
    const child = spawn(process.execPath, [LAUNCH, 'simulate', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: '--inspect-port=0' },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const origin = line.replace('simulator ready: ', '')
    for (let round = 0; round < 20; round += 1) {
      child.kill('SIGUSR1')
      // The process still responds, and has had time to handle the signal.
      expect((await fetch(`${origin}/v3/brokerage/accounts`)).status).toBe(401)
    }
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(errors).not.toMatch(/debugger|inspector/i)
    proves('T13', { level: 3, cases: 20 })
  },
  60_000,
)
