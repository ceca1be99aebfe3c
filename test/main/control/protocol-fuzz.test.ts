import { connect } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { UNKNOWN_PROFILE } from '../../../app/contract/outcome.ts'
import { startControlServer } from '../../../main/control/control-server.ts'
import { MAX_REQUEST_BYTES, parseAnswer, parseRequest } from '../../../main/control/protocol.ts'
import { nodeClock } from '../../../main/ports/node-clock.ts'
import { proves } from '../../proof/proves.ts'
import { hostileFile } from '../hostile-json.ts'
import { exampleSnapshot } from '../hosts/terminal/example-snapshot.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const RUNS = 100_000
const SENT = 2_000
const seed = Date.now() % 2 ** 31

const hostileRequest = fc
  .oneof(
    hostileFile({ do: 'revoke', profile: 'key-1' }),
    hostileFile({ do: 'status' }),
    hostileFile({ do: 'revoke', profile: 'x'.repeat(64) }),
  )
  .map((bytes) => Buffer.from(bytes))

test(`100,000 lines parse as one of the two requests exactly, or not at all (seed ${seed})`, () => {
  let understood = 0
  fc.assert(
    fc.property(hostileRequest, (bytes) => {
      const request = parseRequest(bytes.toString())
      if (request === undefined) return
      understood += 1
      const fields = Object.keys(request)
      if (request.do === 'status') expect(fields).toEqual(['do'])
      else if (request.do === 'revoke') {
        expect(fields.sort()).toEqual(['do', 'profile'])
        expect(request.profile.length).toBeGreaterThan(0)
        expect(request.profile.length).toBeLessThanOrEqual(64)
      }
    }),
    { numRuns: RUNS, seed },
  )
  expect(understood).toBeGreaterThan(100)
  proves('W2', { level: 2, cases: RUNS })
})

test(`10,000 responses parse as one that a command can show, or not at all (seed ${seed})`, () => {
  const answers = fc.oneof(
    hostileFile({ ok: true, snapshots: [{ at: 0, profile: { id: 'a', name: 'b', environment: 'live' } }] }),
    hostileFile({ ok: false, code: 'x', message: 'y' }),
    hostileFile({ ok: true, revoked: 'a' }),
  )
  fc.assert(
    fc.property(answers, (bytes) => {
      const answer = parseAnswer(Buffer.from(bytes).toString())
      if (answer !== undefined) expect(typeof answer.ok).toBe('boolean')
    }),
    { numRuns: 10_000, seed },
  )
})

test.skipIf(process.platform === 'win32')(
  `2,000 requests of random bytes get one clear line or a closed socket, and revoke nothing (seed ${seed})`,
  async () => {
    const revoked: string[] = []
    const notes: string[] = []
    const path = join(temporaryFolder(), 'control.sock')
    const server = await startControlServer({
      monitor: {
        profiles: () => ['simulator'],
        snapshot: () => exampleSnapshot(),
        withProfile: (profile) => {
          revoked.push(profile)
          return UNKNOWN_PROFILE
        },
      },
      path: { kind: 'socket', path },
      clock: nodeClock,
      log: { note: (line) => void notes.push(line) },
      userId: process.getuid?.(),
    })
    onTestFinished(() => server.close())
    const said = (bytes: Uint8Array) =>
      new Promise<string>((resolve) => {
        let text = ''
        const socket = connect(path, () => socket.end(Buffer.concat([bytes, Buffer.from('\n')])))
        socket.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        socket.on('error', () => {}).on('close', () => resolve(text))
      })
    const wanted: string[] = []
    for (const bytes of fc.sample(hostileRequest, { numRuns: SENT, seed })) {
      const request = parseRequest(bytes.toString().split('\n')[0] ?? '')
      if (request?.do === 'revoke') wanted.push(request.profile)
      const text = await said(bytes)
      if (text === '') expect(bytes.length).toBeGreaterThan(MAX_REQUEST_BYTES)
      else {
        expect(text).toMatch(/^\{[^\n]*\}\n$/)
        expect(JSON.parse(text)).toMatchObject(
          request === undefined ? { ok: false, code: 'bad-request' } : { ok: request.do === 'status' },
        )
      }
    }
    expect(revoked).toEqual(wanted)
    expect(notes).toEqual([])
    expect(await said(Buffer.from('{"do":"status"}'))).toContain('"ok":true')
    proves('W2', { level: 3, cases: SENT })
  },
  60_000,
)
