import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { type Running, runNode } from '../main/hosts/terminal/run-node.ts'
import { temporaryFolder } from '../main/storage/temporary-folder.ts'
import { PATIENT } from '../patient.ts'
import { proves } from '../proof/proves.ts'
import { ApiClient } from './api-client.ts'
import { argumentsOf, controlAnswer, filesIn, savedReport } from './left-behind.ts'
import { startRecordingService } from './recording-service.ts'
import { leaksOf, type Trace } from './scan.ts'

/**
 * PROMISES T11: the test searches everything that a full run of the real program prints and leaves behind.
 */

const HEADROOM = fileURLToPath(new URL('../../main/hosts/terminal/headroom.ts', import.meta.url))
/** Throws an uncaught exception when the process gets a signal. */
const CRASH = "process.once('SIGUSR2',()=>{setTimeout(()=>{throw(new(Error)('induced'))})})"
/** The only response that shows the key of a program. */
const SHOWS_KEY = /^the answer to \/api\/command\/addProgram$/
/** The outputs that may show a sign-in link. */
const SHOWS_LINKS = /: stdout$|^the answer to \/api\/command\/(?:signInAgain|startSignIn)$/
const words = () => randomBytes(18).toString('base64url')

test('no part of a secret is in any output or file of a full run, even if it crashes', async () => {
  const secrets: Record<string, string> = {
    'the client secret': words(),
    'the first refresh token': words(),
    'the passphrase': words(),
    'the metrics bearer': words(),
    'a mistyped secret': words(),
    'the given key of a program': words(),
  }
  const secret = (name: string) => secrets[`the ${name}`] ?? ''
  const clientSecret = secret('client secret')
  const service = await startRecordingService({
    clientId: 'key',
    clientSecret,
    refreshToken: secret('first refresh token'),
    keys: 'rotating',
    consent: 'approve',
    faults: ['split-frames'],
  })
  const withoutSecret = await startRecordingService({ clientId: 'pkce-key', consent: 'approve' })
  /** Secrets that a link or its line on the terminal must show. Nothing else may show them. */
  const linkSecrets: Record<string, string> = {}
  const folder = temporaryFolder()
  const crashes = temporaryFolder()
  const environment = {
    HEADROOM_PASSPHRASE: secret('passphrase'),
    HEADROOM_METRICS_TOKEN: secret('metrics bearer'),
    HEADROOM_CLIENT_SECRET: clientSecret,
    HEADROOM_REFRESH_TOKEN: secret('first refresh token'),
    HEADROOM_GATEWAY_KEYS: `given=${secret('given key of a program')}`,
    NODE_OPTIONS: `--import=data:text/javascript,${CRASH} --report-uncaught-exception --report-directory=${crashes}`,
  }
  const traces: Trace[] = []
  const command = (...args: string[]) => runNode([HEADROOM, ...args, '--data', folder], environment)
  const ended = async (name: string, { ended: end }: Running) => {
    const { stdout, stderr, exitCode } = await end
    traces.push({ where: `${name}: stdout`, bytes: stdout }, { where: `${name}: stderr`, bytes: stderr })
    return exitCode
  }
  const start = async () => {
    const run = command('start', '--host', 'browser', '--no-open', '--port', '0', '--metrics-port', '0')
    let said = ''
    run.child.stdout?.on('data', (text: string) => {
      said += text
    })
    await run.said('headroom ready: ')
    traces.push(...argumentsOf(run.child.pid))
    const window = await ApiClient.open(/headroom ready: (\S+)/.exec(said)?.[1] ?? '')
    onTestFinished(() => window.close())
    await vi.waitFor(() => expect(said.match(/headroom ready: /g)).toHaveLength(2), PATIENT)
    for (const [, printed = ''] of said.matchAll(/#code=([\w-]+)/g))
      linkSecrets[`the code ${Object.keys(linkSecrets).length} of a ready line`] = printed
    secrets[`a window's bearer (${window.bearer.length})`] = window.bearer
    const metrics = await fetch(/metrics ready: (\S+)/.exec(said)?.[1] ?? '', {
      headers: { authorization: `Bearer ${secret('metrics bearer')}` },
    })
    expect(metrics.status).toBe(200)
    traces.push({ where: 'the metrics', bytes: await metrics.text() })
    return { run, window }
  }
  const reaches = (window: ApiClient, state: Snapshot['refresh']['state']) =>
    vi.waitFor(
      async () => {
        const snapshots = (await window.ask('snapshots')) as readonly Snapshot[]
        expect(snapshots.find(({ profile }) => profile.id === 'key-1')?.refresh.state).toBe(state)
      },
      { timeout: 15_000, interval: 200 },
    )
  const key = {
    name: 'Mine',
    environment: 'custom',
    authUrl: service.origin,
    baseUrl: service.origin,
    clientId: 'key',
    clientSecret,
  }
  const profile = 'key-1'

  const first = await start()
  const { window } = first
  const mistyped = secrets['a mistyped secret'] ?? ''
  // Mistakes of a person with a secret at hand. The response names the mistake, but does not repeat the
  // secret.
  await window.send('/api/command/connect', `{"clientSecret":"${mistyped}"`)
  await window.ask('connect', { ...key, refreshToken: mistyped, surplus: mistyped })
  await window.ask('connect', { ...key, refreshToken: [mistyped] })
  await window.ask('connect', { ...key, environment: mistyped, refreshToken: mistyped })
  await window.ask(mistyped, { profile })
  await window.send('/api/session', JSON.stringify({ code: mistyped }))

  await window.ask('connect', { ...key, refreshToken: secret('first refresh token') })
  await reaches(window, 'valid')
  await window.ask('openStream', { profile, kind: 'positions', target: 'SIM1001' })
  await window.ask('checkNow', { profile, category: 'Accounts' })
  service.simulator.service.tokens.expireAccess(service.simulator.service.nowMs())
  await window.ask('checkNow', { profile, category: 'Balances' })
  await window.ask('tryNow', { profile })

  // Sign-ins in the browser. The code in the redirect is a secret that can be used once. State and verifier
  // are secrets too.
  const signIn = async (command_: string, argument: unknown) => {
    const { url } = (await window.ask(command_, argument)) as { readonly url: string }
    const redirect = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''
    const { searchParams } = new URL(redirect)
    const [code = '', state = ''] = [searchParams.get('code') ?? '', searchParams.get('state') ?? '']
    expect([code.length > 8, state.length > 8]).toEqual([true, true])
    secrets[`the authorization code of ${command_}`] = code
    linkSecrets[`the state of ${command_}`] = state
    const foreign = await fetch(redirect.replace(state, words()))
    const page = await fetch(redirect)
    expect([foreign.status, page.status]).toEqual([400, 200])
    for (const answer of [foreign, page]) {
      const text = `${JSON.stringify([...answer.headers])}${await answer.text()}`
      traces.push({ where: 'a page at the end of a sign-in', bytes: text })
    }
  }
  await signIn('signInAgain', { profile })
  await signIn('startSignIn', {
    ...{ name: 'No secret', environment: 'custom', clientId: 'pkce-key' },
    ...{ authUrl: withoutSecret.origin, baseUrl: withoutSecret.origin },
  })
  expect(withoutSecret.verifiers.size).toBe(1)
  for (const verifier of withoutSecret.verifiers) secrets['a code verifier'] = verifier
  await reaches(window, 'valid')

  // Programs behind the gateway. All responses to them are searched too, except the local token that is
  // issued to one.
  await window.ask('setGateway', { on: true, port: 0 })
  const added = await window.ask('addProgram', { name: 'bot', class: 'normal', weight: 1, profile })
  const botKey = (added as { readonly key: string }).key
  expect(botKey.length).toBeGreaterThan(16)
  const gatewayKeys: Record<string, string> = { 'the key of an added program': botKey }
  const { gateway } = (await window.ask('gateway')) as { readonly gateway: { readonly url: string } }
  const given = secrets['the given key of a program'] ?? ''
  const asked = async (path: string, bearer: string, init: RequestInit = {}) => {
    const answer = await fetch(`${gateway.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${bearer}` },
    })
    const bytes = `${JSON.stringify([...answer.headers])}\n${await answer.text()}`
    traces.push({ where: `the gateway's answer to ${init.method ?? 'GET'} ${path}`.slice(0, 60), bytes })
    return answer.status
  }
  const accounts = '/v3/brokerage/accounts'
  const form = (refreshToken: string) => ({
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
  })
  const issuedLocal = await fetch(`${gateway.url}/oauth/token`, form(botKey))
  gatewayKeys['a local access token'] = ((await issuedLocal.json()) as { access_token: string }).access_token
  for (const bearer of [botKey, ...Object.values(gatewayKeys)])
    expect(await asked(accounts, bearer)).toBe(200)
  expect(await asked(accounts, mistyped)).toBe(401)
  expect(await asked(`${accounts}?access_token=${botKey}`, mistyped)).toBe(401)
  expect(await asked('/oauth/token', given, form(mistyped))).toBe(400)
  expect(await asked('/v3/orderexecution/orders', botKey, { method: 'POST', body: '{}' })).toBe(403)
  expect(await asked('/headroom/health', given)).toBe(200)
  expect(await ended('program list', command('program', 'list', '--json'))).toBe(0)
  await window.ask('cutProgram', { name: 'bot' })
  expect(await asked(accounts, botKey)).toBe(401)

  const everything = { profile, fromMs: 0, toMs: Date.now() }
  for (const what of ['report-csv', 'report-json', 'incident']) {
    await window.ask('exportFile', { ...everything, what })
  }
  await window.ask('events', { after: 0 })
  await window.ask('pastEvents', everything)
  await window.ask('rowDetails', { profile, category: 'Accounts' })
  for (const path of ['/', '/nothing', `/x?bearer=${window.bearer}`]) await window.read(path)
  const status = await ended('status', command('status', '--json'))
  expect(status).toBe(0)
  for (const request of [`{"do":"${mistyped}"}`, `{"do":"revoke","profile":"${mistyped}"}`, mistyped])
    traces.push({ where: 'the control socket', bytes: await controlAnswer(folder, request) })
  expect(traces.at(-1)?.bytes).toContain('bad-request')
  const snapshots = (await window.ask('snapshots')) as readonly Snapshot[]
  traces.push({ where: 'a saved report', bytes: savedReport(snapshots, folder) })
  await window.ask('disconnect', { profile: 'key-2' })

  first.run.child.kill('SIGUSR2')
  expect(await ended('the run that crashed', first.run)).not.toBe(0)
  traces.push(...filesIn(folder, 'after the crash'), ...filesIn(crashes, 'crash report'))
  expect(traces.some(({ where, bytes }) => /crash report/.test(where) && bytes.length > 1000)).toBe(true)
  expect(traces.some(({ bytes }) => String(bytes).includes('induced'))).toBe(true)

  const second = await start()
  await reaches(second.window, 'valid')
  service.simulator.faults.set('revoke-503', true)
  await second.window.ask('revoke', { profile })
  service.simulator.faults.set('revoke-503', false)
  expect(await ended('revoke', command('revoke', '--yes'))).toBe(0)
  await reaches(second.window, 'revoked')
  second.run.child.kill('SIGTERM')
  expect(await ended('the run that went well', second.run)).toBe(0)

  const issued = [...service.issued, ...withoutSecret.issued]
  for (const [index, token] of issued.entries()) secrets[`token ${index}`] = token
  expect(issued.length).toBeGreaterThan(8)
  traces.push(...filesIn(folder, 'at the end'), ...window.heard, ...second.window.heard)
  expect(traces.length).toBeGreaterThan(40)
  expect(leaksOf(secrets, traces)).toEqual([])
  const elsewhere = traces.filter(({ where }) => !SHOWS_LINKS.test(where))
  expect(leaksOf(linkSecrets, elsewhere)).toEqual([])
  expect(Object.keys(gatewayKeys)).toHaveLength(2)
  const afterwards = traces.filter(({ where }) => !SHOWS_KEY.test(where))
  expect(leaksOf(gatewayKeys, afterwards)).toEqual([])
  expect(Object.keys(linkSecrets).length).toBeGreaterThanOrEqual(6)
  proves('T11', { level: 3, cases: traces.length * Object.keys(secrets).length })
}, 90_000)
