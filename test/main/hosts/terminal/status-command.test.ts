import { expect, test } from 'vitest'
import type { RunningAnswer } from '../../../../main/control/ask-running.ts'
import type { StatusFlags } from '../../../../main/hosts/terminal/flags.ts'
import { status } from '../../../../main/hosts/terminal/status-command.ts'
import { AT_MS, exampleSnapshot } from './example-snapshot.ts'
import { fakeTerminal } from './fake-terminal.ts'

async function asked(flags: StatusFlags, answer: RunningAnswer) {
  const terminal = fakeTerminal()
  const folders: string[] = []
  const zonesOf: string[] = []
  const exitCode = await status(flags, {
    terminal,
    defaultDataFolder: () => '/default',
    askRunning: async (folder) => {
      folders.push(folder)
      return answer
    },
    showTimesOf: (folder) => void zonesOf.push(folder),
    nowMs: () => AT_MS,
  })
  return { terminal, folders, zonesOf, exitCode }
}

const answered = (count: number): RunningAnswer => ({
  kind: 'answered',
  answer: { ok: true, snapshots: Array.from({ length: count }, () => exampleSnapshot()) },
})

test('without a home folder it reports that, and searches nowhere', async () => {
  const terminal = fakeTerminal()
  const never = () => {
    throw new Error('asked')
  }
  const deps = {
    terminal,
    defaultDataFolder: () => undefined,
    askRunning: never,
    showTimesOf: never,
    nowMs: never,
  }
  expect(await status({}, deps)).toBe(1)
  expect(terminal.errors).toEqual([expect.stringContaining('HOME')])
})

test('with --json each key is one line, in the shape of watch', async () => {
  const { terminal, exitCode, folders } = await asked({ json: true }, answered(2))
  expect(exitCode).toBe(0)
  expect(folders).toEqual(['/default'])
  expect(terminal.lines.map((line) => JSON.parse(line))).toEqual(
    Array(2).fill({
      v: 1,
      type: 'snapshot',
      ...exampleSnapshot(),
      health: expect.objectContaining({ severity: 'ok', cause: 'ok' }),
    }),
  )
})

test('without it each key is a table, below its name for --profile', async () => {
  const { terminal, zonesOf } = await asked({ data: '/other' }, answered(1))
  // The times are in the zone that the windows of the same data folder use.
  expect(zonesOf).toEqual(['/other'])
  expect(terminal.lines).toEqual(['key: simulator', expect.stringContaining('Positions Stream')])
})

test('a browser window that connected on an earlier day has its day', async () => {
  const window = {
    id: 'w1',
    admittedAt: AT_MS - 2 * 86_400_000,
    lastUsedAt: AT_MS,
    isOpen: true,
    isThis: false,
  }
  const answer = { ok: true, snapshots: [], windows: [window] } as const
  const { terminal } = await asked({}, { kind: 'answered', answer })
  expect(terminal.lines[0]).toMatch(/connected (?:Fri|Sat|Sun) \d\d:\d\d:00, open, last used \d\d:\d\d:00$/)
})

test('a missing key is reported to a person and not to a program', async () => {
  expect((await asked({}, answered(0))).terminal.lines).toEqual(['no key is connected'])
  expect((await asked({ json: true }, answered(0))).terminal.lines).toEqual([])
})

test.each<RunningAnswer>([
  { kind: 'not-running' },
  { kind: 'failed', why: 'it belongs to another user' },
  { kind: 'answered', answer: { ok: false, code: 'failed', message: 'Headroom failed.' } },
])('%j is exit 1 and one line', async (answer) => {
  const { terminal, exitCode } = await asked({ json: true }, answer)
  expect(exitCode).toBe(1)
  expect(terminal.lines).toEqual([])
  expect(terminal.errors).toHaveLength(1)
})
