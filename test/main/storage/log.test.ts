import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Redactor } from '../../../main/ports/redactor.ts'
import { fileSink, redactedLog } from '../../../main/storage/log.ts'
import { temporaryFolder } from './temporary-folder.ts'

function logged(write: (log: ReturnType<typeof redactedLog>, redactor: Redactor) => void): readonly string[] {
  const lines: string[] = []
  const redactor = new Redactor()
  write(
    redactedLog(
      redactor,
      () => Date.UTC(2026, 0, 1),
      (line) => lines.push(line),
    ),
    redactor,
  )
  return lines
}

test('a line has its time, words and fields', () => {
  expect(logged((log) => log.note('probe answered', { category: 'Accounts', status: 200 }))).toEqual([
    '2026-01-01T00:00:00.000Z probe answered {"category":"Accounts","status":200}',
  ])
})

test('a line without fields is its time and words', () => {
  expect(logged((log) => log.note('started'))).toEqual(['2026-01-01T00:00:00.000Z started'])
})

test('values under keys that look like secrets are not written; counts and facts are', () => {
  const [line] = logged((log) =>
    log.note('x', {
      refreshToken: 'abcdef',
      client_secret: 'abcdef',
      nested: { list: [{ Authorization: 'abcdef' }] },
      code: 'abcdef',
      tokensRefreshed: 3,
      hasSecret: true,
      statusCode: 429,
    }),
  )
  expect(line).not.toContain('abcdef')
  expect(line).toContain('"tokensRefreshed":3')
  expect(line).toContain('"hasSecret":true')
  expect(line).toContain('"statusCode":429')
})

test('headers and bodies are never written, whatever they contain', () => {
  const [line] = logged((log) =>
    log.note('x', { headers: { via: 'proxy' }, responseBody: 'hello', body: 1, ok: 1 }),
  )
  expect(line).toBe('2026-01-01T00:00:00.000Z x {"ok":1}')
})

test('secrets are recognised in running text by their shape', () => {
  const [line] = logged((log) =>
    log.note(
      'sent Bearer abcdef and refresh_token=abcdef&x=1 to http://127.0.0.1:1/#code=abcdef with {"access_token":"abcdef"} eyJabcdef.abcdef.abcdef',
    ),
  )
  expect(line).not.toContain('abcdef')
  expect(line).toContain('x=1')
})

test('a known secret is removed from every line, percent-encoded too', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 8, maxLength: 40 }),
      fc.string(),
      fc.string(),
      (secret, before, after) => {
        fc.pre(/^[\x21-\x7e]+$/.test(secret) && !'[redacted]'.includes(secret))
        const [line] = logged((log, redactor) => {
          redactor.hide(secret)
          log.note(`${before} ${secret} ${after}`, { at: secret, url: encodeURIComponent(secret) })
        })
        expect(line).not.toContain(secret)
        expect(line).not.toContain(encodeURIComponent(secret))
      },
    ),
  )
})

test('a known secret that is a prefix of another does not leave the other half', () => {
  const redactor = new Redactor()
  redactor.hide('abcd')
  redactor.hide('abcd-efgh')
  expect(redactor.text('abcd-efgh abcd')).toBe('[redacted] [redacted]')
})

test('errors are written as their message, and cycles end', () => {
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  const [line] = logged((log) => log.note('x', { why: new Error('no refresh_token=abcdef'), cycle }))
  expect(line).toContain('Error: no refresh_token=[redacted]')
  expect(line).toContain('[deep]')
})

test('a server’s text cannot forge a line', () => {
  const [line] = logged((log) => log.note('it said a\n2026 b', { reason: 'c\r\nd' }))
  expect(line).toMatch(/it said a 2026 b/)
  expect(line).not.toMatch(/[\r\n]/)
})

test('the log is bounded: one full log is kept, and the previous one is deleted', () => {
  const folder = temporaryFolder()
  const complaints: string[] = []
  const sink = fileSink(folder, (line) => complaints.push(line), 10)
  for (const line of ['first-1', 'second-2', 'third-3']) sink(line)
  expect(readFileSync(join(folder, 'headroom.log'), 'utf8')).toBe('third-3\n')
  expect(readFileSync(join(folder, 'headroom.1.log'), 'utf8')).toBe('second-2\n')
  expect(complaints).toEqual([])
})

test('a new start appends to the existing file, within the bound', () => {
  const folder = temporaryFolder()
  fileSink(folder, () => {}, 20)('first')
  fileSink(folder, () => {}, 20)('second')
  expect(readFileSync(join(folder, 'headroom.log'), 'utf8')).toBe('first\nsecond\n')
  fileSink(folder, () => {}, 20)('a third that is long')
  expect(readFileSync(join(folder, 'headroom.1.log'), 'utf8')).toBe('first\nsecond\n')
})

test('a full log that was deleted is written anew', () => {
  const folder = temporaryFolder()
  const sink = fileSink(folder, () => {}, 10)
  sink('first-1')
  rmSync(join(folder, 'headroom.log'))
  for (const line of ['second-2', 'third-3']) sink(line)
  expect(readFileSync(join(folder, 'headroom.log'), 'utf8')).toBe('third-3\n')
})

test('a disk that rejects the log is reported once and stops nothing', () => {
  const folder = join(temporaryFolder(), 'gone')
  mkdirSync(folder)
  const complaints: string[] = []
  const sink = fileSink(folder, (line) => complaints.push(line))
  rmSync(folder, { recursive: true })
  sink('a')
  sink('b')
  expect(complaints).toHaveLength(1)
})
