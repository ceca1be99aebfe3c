import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { ofBuilderLib, projectFolder } from '../desktop/builder-config.ts'
import { proves } from '../proof/proves.ts'

const run = promisify(execFile)
const LEFT_OUT = new Set(['.git', 'dist', 'node_modules', 'release', 'test-results'])
const isWindows = process.platform === 'win32'

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** Runs npm as a person does: from the PATH, without the variables of the npm that runs the tests. */
function npm(args: readonly string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  return run('npm', args, { cwd, env: Object.fromEntries(own), shell: isWindows, maxBuffer: 2 ** 24 })
}

describe('the npm package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-npm-'))
  const prefix = join(folder, 'prefix')
  const elsewhere = join(folder, 'elsewhere')
  let packed: Packed

  beforeAll(async () => {
    const clone = join(folder, 'clone')
    // The files of a clean clone after `npm install`, without a build.
    cpSync(projectFolder, clone, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) })
    symlinkSync(join(projectFolder, 'node_modules'), join(clone, 'node_modules'), 'junction')
    mkdirSync(elsewhere)
    const { stdout } = await npm(['pack', '--json', '--pack-destination', folder], clone)
    const listed = JSON.parse(stdout.slice(stdout.indexOf('\n[') + 1)) as readonly Packed[]
    if (listed[0] === undefined) throw new Error('npm packed nothing')
    packed = listed[0]
    const archive = join(folder, packed.filename)
    // Without the optional package, a newer Node for people with an old one. This test already runs on the
    // right Node.
    const install = [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--omit=optional',
      '--prefer-offline',
      archive,
    ]
    await npm([...install, '--no-audit', '--no-fund'], elsewhere)
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  it('is built before it is packed, and contains only what runs', () => {
    const paths = packed.files.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'dist/THIRD_PARTY_NOTICES.md',
        'dist/desktop/main.js',
        'dist/hosts/headroom.js',
        'dist/window/index.html',
        'main/launch.js',
        'package.json',
      ]),
    )
    expect(
      paths.filter((path) => !/^(dist\/|LICENSE|README|main\/launch\.js|package\.json)/.test(path)),
    ).toEqual([])
    proves('P3', { level: 3, cases: paths.length })
  })

  it('runs from another folder, builds nothing, and shows live rows', async () => {
    const command = join(prefix, isWindows ? 'headroom.cmd' : 'bin/headroom')
    const { stdout, stderr } = await run(command, ['watch', '--json', '--for', '3'], {
      cwd: elsewhere,
      shell: isWindows,
      maxBuffer: 2 ** 24,
    })
    expect(stderr).toBe('')
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    expect(types).toContain('snapshot')
    proves('P3', { level: 3, cases: types.length })
  })
})

test('everything installed with the package runs on the oldest Node that it names', () => {
  const lock = JSON.parse(readFileSync(join(projectFolder, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { dev?: boolean; engines?: { node?: string } }>>
  }
  const { satisfies } = createRequire(ofBuilderLib.resolve('semver/package.json'))('semver') as {
    satisfies: (version: string, range: string) => boolean
  }
  const { '': own, ...packages } = lock.packages
  expect(own?.engines?.node).toBe('>=20.19')
  const newer = Object.entries(packages)
    .filter(([, { dev, engines }]) => dev !== true && !satisfies('20.19.0', engines?.node ?? '*'))
    .map(([path]) => path)
  // Packages of Fastify and of the NATS client. The launcher runs nothing on a Node that is too old for them.
  expect(newer).toEqual(['node_modules/@nats-io/nuid', 'node_modules/cookie'])
})
