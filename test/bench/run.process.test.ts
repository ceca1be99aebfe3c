import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseEntries } from './entry.ts'

const RUN = fileURLToPath(new URL('run.ts', import.meta.url))

test('with --json one object is on stdout, with a key for the bench', () => {
  const printed = execFileSync(process.execPath, [RUN, '--only', 'fold', '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect(printed.trim().split('\n')).toHaveLength(1)
  const { machine, commit, date, ...benches } = JSON.parse(printed) as Record<string, unknown>
  expect([typeof machine, typeof commit, typeof date]).toEqual(['string', 'string', 'string'])
  expect(benches['fold']).toMatchObject({ ours: expect.any(Number), peers: {}, ratio: null })
  expect([...parseEntries(printed).keys()]).toEqual(['fold'])
}, 60_000)

test('an unknown bench ends in exit 2 and one line with the known ones', () => {
  const { status, stderr } = spawnSync(process.execPath, [RUN, '--only', 'speed'], { encoding: 'utf8' })
  expect(status).toBe(2)
  expect(stderr).toMatch(/^--only takes one of framing, .*; speed is none\n$/)
})
