import { expect, test } from 'vitest'
import type { ListedProgram } from '../../../../app/contract/gateway.ts'
import type { RunningAnswer } from '../../../../main/control/ask-running.ts'
import type { ControlAnswer } from '../../../../main/control/protocol.ts'
import { type ProgramCommandDeps, program } from '../../../../main/hosts/terminal/gateway-commands.ts'
import type { ProgramAction, ProgramFlags } from '../../../../main/hosts/terminal/program-flags.ts'
import { programLines } from '../../../../main/hosts/terminal/program-rows.ts'
import { FOLDER_BUSY } from '../../../../main/hosts/terminal/stored-programs.ts'
import { exampleProgram } from './example-snapshot.ts'
import { fakeTerminal } from './fake-terminal.ts'

const BUSY: ControlAnswer = { ok: false, code: FOLDER_BUSY, message: 'another Headroom is using /data' }
const ADDED: ControlAnswer = { ok: true, key: 'the-key', program: 'bot', gateway: { state: 'off' } }
/** Three programs, the last without a chosen key. */
const PROGRAMS = ['simulator', 'key-1', ''].map(
  (profile, at): ListedProgram => ({ ...exampleProgram(`bot-${at}`, { id: `program-${at}` }), profile }),
)
/** A folder in use, and a clock that never waits. */
const DEPS: Omit<ProgramCommandDeps, 'terminal' | 'askRunning'> = {
  defaultDataFolder: () => '/data',
  answerStored: () => BUSY,
  written: async () => undefined,
  clock: {
    after: (_, run) => {
      queueMicrotask(run)
      return () => {}
    },
  },
}

/** `program add bot` on a folder in use; the app answers from the given attempt on. */
async function added(answersFrom: number) {
  const terminal = fakeTerminal()
  let asked = 0
  const exitCode = await program(
    { action: 'add', name: 'bot' },
    {},
    {
      ...DEPS,
      terminal,
      askRunning: async (): Promise<RunningAnswer> => {
        asked += 1
        return asked >= answersFrom ? { kind: 'answered', answer: ADDED } : { kind: 'not-running' }
      },
    },
  )
  return { exitCode, terminal, asked }
}

test('a program is added by an app that was still starting', async () => {
  const { exitCode, terminal } = await added(3)
  expect({ exitCode, lines: terminal.lines }).toEqual({ exitCode: 0, lines: ['the-key'] })
})

test('an app that never answers is named after ten seconds of asking', async () => {
  const { exitCode, terminal, asked } = await added(Number.POSITIVE_INFINITY)
  expect({ exitCode, errors: terminal.errors, asked }).toEqual({
    exitCode: 1,
    errors: ['another Headroom is using /data'],
    asked: 40,
  })
})

test.each<[ProgramAction, ProgramFlags, string]>([
  ['list', { class: 'critical' }, '--class'],
  ['cut', { profile: 'key-2' }, '--profile'],
  ['pause', { json: true }, '--json'],
  ['resume', { maxOrders: 1 }, '--max-orders'],
])('program %s takes no %o', async (action, flags, flag) => {
  const terminal = fakeTerminal()
  const askRunning = () => Promise.reject(new Error('not asked for'))
  const exitCode = await program({ action, name: 'bot' }, flags, { ...DEPS, terminal, askRunning })
  expect({ exitCode, errors: terminal.errors }).toEqual({
    exitCode: 2,
    errors: [`program ${action} takes no ${flag}`],
  })
})

test('without a running Headroom, a list is said to be of its folder, and changes nothing', async () => {
  const terminal = fakeTerminal()
  const answerStored = (): ControlAnswer => ({ ok: true, gateway: { state: 'off' }, programs: [] })
  const askRunning = async (): Promise<RunningAnswer> => ({ kind: 'not-running' })
  await program({ action: 'list', name: undefined }, {}, { ...DEPS, terminal, askRunning, answerStored })
  expect(terminal.errors).toEqual(['no Headroom is running on /data (--data names another folder)'])
})

test('below a listed program, each quota that it uses has its requests, rate and waits', () => {
  const [bot, ...others] = PROGRAMS
  const scanner: ListedProgram = {
    ...(bot ?? expect.fail()),
    name: 'scanner',
    forwarded: 132,
    perSecond: 1.25,
    refused: 2,
    waiting: 3,
    longestWaitMs: 5_000,
    streams: 1,
    use: [
      { category: 'Positions', forwarded: 120, perSecond: 1, waiting: 3, longestWaitMs: 5_000 },
      { category: 'Option Spread Types', forwarded: 12, perSecond: 0.25, waiting: 0 },
    ],
  }
  expect(programLines([scanner, ...others.slice(0, 1)])).toEqual([
    'PROGRAM              CLASS      WEIGHT FORWARDED   PER S DECLINED STREAMS KEY       STATE',
    'scanner              normal          1       132    1.25        2       1 simulator 3 waiting, 5.0 s',
    '  Positions                                  120    1.00                            3 waiting, 5.0 s',
    '  Option Spread Types                         12    0.25',
    'bot-1                normal          1         0    0.00        0       0 key-1     not seen yet',
  ])
})

test('a listed program has its key, and no other state while that key is not connected', async () => {
  const listed = async (answer: Partial<Extract<ControlAnswer, { programs: unknown }>>, json?: true) => {
    const terminal = fakeTerminal()
    const whole = { ok: true, gateway: { state: 'serving' }, programs: PROGRAMS, ...answer } as const
    const askRunning = async (): Promise<RunningAnswer> => ({ kind: 'answered', answer: whole })
    const flags: ProgramFlags = json ? { json } : {}
    expect(await program({ action: 'list', name: undefined }, flags, { ...DEPS, terminal, askRunning })).toBe(
      0,
    )
    return terminal.lines
  }
  const states = (lines: readonly string[]) => lines.slice(1).map((line) => line.slice(74).trim())
  expect(states(await listed({ connected: ['key-1'] }))).toEqual([
    'KEY       STATE',
    'simulator key not connected',
    'key-1     not seen yet',
    'only key  key not connected',
  ])
  expect(states(await listed({}))).toEqual([
    'KEY       STATE',
    'simulator not seen yet',
    'key-1     not seen yet',
    'only key  not seen yet',
  ])
  const [line = ''] = await listed({ connected: ['key-1'] }, true)
  expect(JSON.parse(line)).toEqual({
    ...{ v: 1, type: 'programs', gateway: { state: 'serving' }, programs: PROGRAMS },
  })
})
