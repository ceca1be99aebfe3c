import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerStored, type ProgramRequest } from '../../../../main/hosts/terminal/stored-programs.ts'
import { nodeClock } from '../../../../main/ports/node-clock.ts'
import { lockDataFolder } from '../../../../main/storage/lock.ts'
import { temporaryFolder } from '../../storage/temporary-folder.ts'

const ADD = { do: 'add-program', name: 'bot', class: 'critical', weight: 2, maxOrders: 5 } as const

function stored(folder: string) {
  const problems: string[] = []
  const ask = (request: ProgramRequest) =>
    answerStored(folder, request, {
      clock: nodeClock,
      randomBytes: (length) => new Uint8Array(length).fill(7),
      problem: (sentence) => problems.push(sentence),
    })
  return { ask, problems }
}

test('a program is added, listed with no use and without its key, and cut off', () => {
  const folder = temporaryFolder()
  const { ask } = stored(folder)
  expect(ask({ do: 'gateway' })).toEqual({ ok: true, gateway: { state: 'off' }, programs: [] })
  const added = ask(ADD)
  expect(added).toMatchObject({ ok: true, program: 'bot', gateway: { state: 'off' } })
  const key = 'key' in added ? added.key : ''
  expect(key).toMatch(/^[\w-]{43}$/)
  expect(readFileSync(join(folder, 'gateway.json'), 'utf8')).not.toContain(key)
  const listed = ask({ do: 'gateway' })
  expect(JSON.stringify(listed)).not.toContain(key)
  expect(listed).toMatchObject({
    programs: [
      { name: 'bot', class: 'critical', weight: 2, profile: '', maxOrders: 5, forwarded: 0, use: [] },
    ],
  })
  expect(ask(ADD)).toMatchObject({ ok: false, message: expect.stringContaining('already named bot') })
  expect(ask({ do: 'cut-program', name: 'Bot' })).toEqual({ ok: true, cut: 'Bot' })
  expect(ask({ do: 'cut-program', name: 'bot' })).toMatchObject({ ok: false })
})

test('nothing changes while another process uses the folder, or the file is unusable', () => {
  const folder = temporaryFolder()
  const { ask, problems } = stored(folder)
  expect(ask({ do: 'cut-program', name: 'bot' })).toMatchObject({
    ok: false,
    message: 'no program is named bot',
  })
  const lock = lockDataFolder(folder, { pid: process.pid, host: 'browser' })
  expect(ask(ADD)).toMatchObject({ ok: false, message: expect.stringContaining(folder) })
  if (lock.kind === 'held') lock.release()
  writeFileSync(join(folder, 'gateway.json'), '{"programs":')
  expect(ask(ADD)).toMatchObject({ ok: true })
  expect(problems).toEqual([expect.stringContaining('the file is damaged and was renamed to')])
})
