import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fetchTo, tenths } from '../../../../main/hosts/terminal/bounded-download.ts'
import { nodeClock } from '../../../../main/ports/node-clock.ts'
import { PATIENT } from '../../../patient.ts'
import { VirtualClock } from '../../../simulation/virtual-clock.ts'

let folder: string
let server: Server
let answer: RequestListener
const said: string[] = []
const file = () => join(folder, 'sub', 'it.zip')
const fetchIt = (bounds = {}) => {
  const { port } = server.address() as AddressInfo
  const say = (line: string) => void said.push(line)
  const options = { clock: nodeClock, connectTimeoutMs: 2000, say, ...bounds }
  return fetchTo(`http://127.0.0.1:${port}/it.zip`, file(), options)
}

/** The outcome of a download. `why` is the reason for a failure, as soon as there is one. */
function settled(download: Promise<void>) {
  const outcome: { why?: string; readonly ended: Promise<string> } = {
    ended: download.then(
      () => 'done',
      (error: Error) => {
        outcome.why = error.message
        return error.message
      },
    ),
  }
  return outcome
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headroom-download-'))
  said.length = 0
  server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true })
})

describe('a download', () => {
  it('writes the response to the file and reports progress', async () => {
    answer = (_request, response) => void response.setHeader('content-length', '1000').end('x'.repeat(1000))
    await fetchIt()
    expect(readFileSync(file(), 'utf8')).toBe('x'.repeat(1000))
    expect(said.at(-1)).toBe('… 100 %')
  })

  it('is abandoned if nobody responds in time, and not before', async () => {
    const clock = new VirtualClock()
    const asked = new Promise<void>((resolve) => {
      answer = () => resolve()
    })
    const outcome = settled(fetchIt({ clock, connectTimeoutMs: 2_000 }))
    await asked
    await clock.advance(1_999)
    expect(outcome.why).toBeUndefined()
    await clock.advance(1)
    expect(await outcome.ended).toBe('no response within 2 s')
    expect(clock.pending).toBe(0)
  })

  it('is abandoned when no more bytes arrive', async () => {
    const clock = new VirtualClock()
    answer = (_request, response) => void response.setHeader('content-length', '10').write('x')
    const outcome = settled(fetchIt({ clock, stallTimeoutMs: 20_000 }))
    await vi.waitFor(() => expect(said).toEqual(['… 10 %']), PATIENT)
    await clock.advance(19_999)
    expect(outcome.why).toBeUndefined()
    await clock.advance(1)
    expect(await outcome.ended).toBe('no data for 20 s')
    expect(clock.pending).toBe(0)
  })

  it('fails when the server rejects it', async () => {
    answer = (_request, response) => void response.writeHead(403).end()
    await expect(fetchIt()).rejects.toThrow('the server responded 403')
  })

  it('reports each tenth once, and nothing for an unknown size', () => {
    const progress = tenths(100, (line) => said.push(line))
    for (let i = 0; i < 100; i++) progress(1)
    expect(said).toHaveLength(10)
    tenths(Number.NaN, (line) => said.push(line))(50)
    expect(said).toHaveLength(10)
  })
})
