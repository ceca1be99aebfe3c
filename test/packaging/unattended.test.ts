import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { SECRETS } from '../../main/hosts/secret-files.ts'
import { runProgram } from '../../main/hosts/terminal/program.ts'
import { projectFolder } from '../desktop/builder-config.ts'
import { programPath } from '../electron/display.ts'
import { commandsOf } from '../main/hosts/terminal/commands-of.ts'
import { temporaryFolder } from '../main/storage/temporary-folder.ts'

const readme = readFileSync(join(projectFolder, 'main', 'packaging', 'README.md'), 'utf8')
const containerfile = readFileSync(join(projectFolder, 'main', 'packaging', 'Containerfile'), 'utf8')

function block(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(readme)?.[1]
  if (found === undefined) throw new Error(`main/packaging/README.md has no ${language}`)
  return found
}
const unit = block('ini')
const plist = block('xml')

/** The command that the program runs for a command line, with the values of its flags. */
async function asked(args: readonly string[]): Promise<readonly [string, object]> {
  const calls: (readonly [string, object])[] = []
  const errors: string[] = []
  const commands = commandsOf((name) => async (flags) => {
    calls.push([name, flags as object])
    return 0
  })
  const error = (line: string) => void errors.push(line)
  await runProgram(args, { version: '1', commands, out: () => {}, error })
  expect(errors).toEqual([])
  return calls[0] ?? ['', {}]
}

const SERVICE = { authUrl: 'https://signin.example', baseUrl: 'https://api.example', clientId: 'YOUR_KEY' }

test('the systemd unit runs an existing command, reads its credentials, and stops if a person is needed', async () => {
  const exec = /^ExecStart=(\S+) (.*)$/m.exec(unit)
  expect(exec?.[1]).toMatch(/\/headroom$/)
  expect(await asked(exec?.[2]?.split(' ') ?? [])).toMatchObject([
    'watch',
    { ...SERVICE, json: true, metricsPort: 9464 },
  ])
  const credentials = [...unit.matchAll(/^LoadCredential=(\w+):/gm)].map(([, name]) => name)
  expect(credentials).toHaveLength(3)
  for (const name of credentials) expect(SECRETS).toContain(name)
  expect(unit).toMatch(/^RestartPreventExitStatus=2 3$/m)
})

const systemd = programPath('systemd-analyze')
test.skipIf(systemd === undefined)('systemd finds nothing wrong with the unit', async () => {
  const file = join(temporaryFolder(), 'headroom.service')
  // Any existing program will do. A path with a space would have to be quoted in a unit.
  writeFileSync(file, unit.replace('/usr/local/bin/headroom', '/bin/sh'))
  const { stderr } = await promisify(execFile)(systemd ?? '', ['verify', '--user', '--man=no', file], {
    env: { ...process.env, XDG_RUNTIME_DIR: temporaryFolder() },
  })
  expect(stderr.split('\n').filter((line) => line.includes('headroom.service'))).toEqual([])
})

test('the launchd plist runs an existing command, and names its secrets as files', async () => {
  const strings = (key: string) =>
    [
      ...(
        new RegExp(`<key>${key}</key>\\s*<(?:array|dict)>([^]*?)</(?:array|dict)>`).exec(plist)?.[1] ?? ''
      ).matchAll(/<(key|string)>([^<]*)</g),
    ].map(([, , text]) => text ?? '')
  const [program, ...args] = strings('ProgramArguments')
  expect(program).toMatch(/\/headroom$/)
  expect(await asked(args)).toMatchObject(['watch', { ...SERVICE, json: true, events: true }])
  const variables = strings('EnvironmentVariables').filter((_, index) => index % 2 === 0)
  expect(variables).toHaveLength(2)
  for (const name of variables) expect(SECRETS.map((secret) => `${secret}_FILE`)).toContain(name)
  expect((plist.match(/<[a-z]+[^/>]*>/g) ?? []).length).toBe((plist.match(/<\/[a-z]+>/g) ?? []).length)
})

test('the container runs an existing command, as an ordinary user, and checks its health there', async () => {
  const list = (instruction: string) => {
    const found = new RegExp(`^ *${instruction} (\\[.*\\])$`, 'm').exec(containerfile)?.[1]
    return JSON.parse(found ?? '[]') as readonly string[]
  }
  const [program, ...args] = list('ENTRYPOINT')
  expect(program).toBe('headroom')
  const run = /docker run [^\n]*\\\n\s+(--auth-url[^\n]*)/.exec(readme)?.[1] ?? ''
  const [command, flags] = await asked([...args, ...run.split(' ')])
  expect([command, flags]).toMatchObject(['watch', { ...SERVICE, data: '/data', metricsPort: 9464 }])
  expect(list('CMD').join(' ')).toContain('http://127.0.0.1:9464/healthz')
  const users = [...containerfile.matchAll(/^USER (\S+)$/gm)].map(([, user]) => user)
  expect(users).toEqual(['node'])
  for (const [, name] of containerfile.matchAll(/(HEADROOM_\w+)=/g)) {
    expect(SECRETS.map((secret) => `${secret}_FILE`)).toContain(name)
  }
})

test('no unattended service runs through npm, which does not pass SIGTERM on', () => {
  for (const text of [unit, plist, containerfile.slice(containerfile.indexOf('USER'))]) {
    expect(text).not.toMatch(/\bnpm\b/)
  }
})
