import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fetchTo, tenths } from '../../../main/desktop/bounded-download.ts'

let folder: string
let server: Server
let answer: RequestListener
const said: string[] = []
const file = () => join(folder, 'sub', 'it.zip')
const fetchIt = (bounds = {}) => {
  const { port } = server.address() as AddressInfo
  const options = { connectTimeoutMs: 2000, say: (line: string) => void said.push(line), ...bounds }
  return fetchTo(`http://127.0.0.1:${port}/it.zip`, file(), options)
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
  it('puts what the server sends into the file and says how far it is', async () => {
    answer = (_request, response) => void response.setHeader('content-length', '1000').end('x'.repeat(1000))
    await fetchIt()
    expect(readFileSync(file(), 'utf8')).toBe('x'.repeat(1000))
    expect(said.at(-1)).toBe('… 100 %')
  })

  it('is given up when nobody answers in time', async () => {
    answer = () => {}
    await expect(fetchIt({ connectTimeoutMs: 50 })).rejects.toThrow('no answer within 0.05 s')
  })

  it('is given up when the bytes stop coming', async () => {
    answer = (_request, response) => void response.setHeader('content-length', '1000').write('x')
    await expect(fetchIt({ stallTimeoutMs: 50 })).rejects.toThrow('nothing came for 0.05 s')
  })

  it('is refused when the server does', async () => {
    answer = (_request, response) => void response.writeHead(403).end()
    await expect(fetchIt()).rejects.toThrow('the server answered 403')
  })

  it('says each tenth once, and nothing of an unknown size', () => {
    const progress = tenths(100, (line) => said.push(line))
    for (let i = 0; i < 100; i++) progress(1)
    expect(said).toHaveLength(10)
    tenths(Number.NaN, (line) => said.push(line))(50)
    expect(said).toHaveLength(10)
  })
})
