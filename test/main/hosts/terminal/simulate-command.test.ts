import { expect, test } from 'vitest'
import type { SimulateFlags } from '../../../../main/hosts/terminal/flags.ts'
import { runProgram } from '../../../../main/hosts/terminal/program.ts'
import {
  type SimulateDeps,
  simulate,
  simulatorOptions,
} from '../../../../main/hosts/terminal/simulate-command.ts'
import { DEFAULT_SIMULATOR_OPTIONS } from '../../../../main/simulator/options.ts'
import { PATIENT } from '../../../patient.ts'
import { commandsOf } from './commands-of.ts'
import { fakeTerminal } from './fake-terminal.ts'

/** The flags that the program reads from a command line. */
async function flagsOf(...args: readonly string[]): Promise<SimulateFlags> {
  const { promise, resolve, reject } = Promise.withResolvers<SimulateFlags>()
  const commands = {
    ...commandsOf(() => async () => 1),
    simulate: async (flags: SimulateFlags) => {
      resolve(flags)
      return 0
    },
  }
  await runProgram(['simulate', ...args], {
    version: '1',
    commands,
    out: () => {},
    error: (line) => reject(new Error(line)),
  })
  return promise
}

test('without flags the simulator is the default one', async () => {
  expect(simulatorOptions(await flagsOf())).toEqual(DEFAULT_SIMULATOR_OPTIONS)
})

test('every flag sets its option', async () => {
  const flags = await flagsOf(
    ...['--client-id', 'c', '--client-secret', 's', '--refresh-token', 't', '--trade'],
    ...['--keys', 'rotating'],
    ...['--refresh-expiry', '10', '--rotation-overlap', '2', '--absolute-lifetime', '100'],
    ...['--access-lifetime', '5', '--table', 'earlier', '--window', 'fixed', '--errors', 'legacy'],
    ...[
      '--revoke-field',
      'token',
      '--heartbeat',
      '0.5',
      '--traffic',
      'Positions=1,Accounts=2@30/90',
      '--stream-rate',
      '7',
    ],
    ...['--fault', 'goaway-v2', '--fault', 'refresh-503:3'],
  )
  expect(simulatorOptions(flags)).toEqual({
    ...DEFAULT_SIMULATOR_OPTIONS,
    clientId: 'c',
    clientSecret: 's',
    refreshToken: 't',
    trade: true,
    keys: 'rotating',
    refreshExpirySeconds: 10,
    rotationOverlapSeconds: 2,
    absoluteLifetimeSeconds: 100,
    accessLifetimeSeconds: 5,
    table: 'earlier',
    window: 'fixed',
    errors: 'legacy',
    revokeField: 'token',
    heartbeatSeconds: 0.5,
    traffic: { Positions: 1 },
    neighbours: [{ category: 'Accounts', perSecond: 2, onSeconds: 30, offSeconds: 60 }],
    streamRate: 7,
    faults: ['goaway-v2', 'refresh-503:3'],
  })
})

test('it serves until a signal, and then closes', async () => {
  const terminal = fakeTerminal()
  let closed = false
  const start: SimulateDeps['start'] = async (_options, port) => ({
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      closed = true
    },
  })
  const exitCode = simulate(await flagsOf('--port', '4000'), { terminal, start })
  await expect.poll(() => terminal.lines, PATIENT).toEqual(['simulator ready: http://127.0.0.1:4000'])
  expect(closed).toBe(false)
  terminal.stop()
  expect(await exitCode).toBe(0)
  expect(closed).toBe(true)
})

test('a short control secret is a matter of configuration, not of a flag', async () => {
  const terminal = fakeTerminal({ environment: { HEADROOM_SIMULATOR_CONTROL: 'short' } })
  const start = () => Promise.reject(new Error('not expected'))
  expect(await simulate(await flagsOf(), { terminal, start })).toBe(3)
  expect(terminal.errors).toEqual(['HEADROOM_SIMULATOR_CONTROL needs at least 16 characters'])
})
