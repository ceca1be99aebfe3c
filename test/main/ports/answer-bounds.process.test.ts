import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { startRawServer } from './raw-server.ts'

const ASKING = fileURLToPath(new URL('asking-process.ts', import.meta.url))
const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const MANY = 64 << 10

/** A low-memory process's result for a response of `bytes` on the wire. */
async function asked(part: Buffer, bytes: number): Promise<string> {
  const server = await startRawServer((socket) => {
    let left = bytes
    const more = () => {
      while (left > 0) {
        left -= part.length
        if (!socket.write(part)) return
      }
      socket.end('0\r\n\r\n')
    }
    socket.on('drain', more)
    socket.write(HEAD)
    more()
  })
  onTestFinished(() => server.close())
  const child = spawn(process.execPath, ['--max-old-space-size=64', ASKING, server.origin], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let out = ''
  child.stdout.on('data', (text: Buffer) => (out += text.toString()))
  await once(child, 'close')
  return out
}

test.each([
  ['chunks of one byte', '1\r\n[\r\n'],
  ['chunks with extensions', `1;${'x'.repeat(2_000)}\r\n[\r\n`],
  ['large chunks', `10000\r\n${'['.repeat(65_536)}\r\n`],
])('an endless response in %s is abandoned within 64 MB of heap', async (_, chunk) => {
  const part = Buffer.from(chunk.repeat(Math.ceil(MANY / chunk.length)))
  const said = await asked(part, 40 << 20)
  expect(said).toContain('"why":"the response is too long"')
  proves('T14', { level: 3, cases: 1 })
})
