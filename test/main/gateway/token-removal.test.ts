import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import zlib from 'node:zlib'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { passedHeaders } from '../../../main/gateway/answer-relay.ts'
import { TokenRemoval } from '../../../main/gateway/token-removal.ts'
import { REDACTED } from '../../../main/ports/redactor.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { before } from './raw-service.ts'
import type { GatewayTraits } from './started-gateway.ts'

const ACCOUNTS = '/v3/brokerage/accounts'
const QUOTES = '/v3/marketdata/stream/quotes/MSFT'
const LARGE = 200 << 10
const UNKNOWN = ['content-encoding: gzip, x-own']

/**
 * A gateway before a service whose responses the test sets, with the received access token.
 */
async function echoing(
  answer: (socket: Socket, token: string, request: string) => void,
  traits?: Pick<GatewayTraits, 'clock'>,
) {
  let token = ''
  const started = await before((socket, text) => {
    token = /^authorization: Bearer (\S+)\r$/im.exec(text)?.[1] ?? token
    answer(socket, token, text)
  }, traits)
  const key = started.add('bot')
  const ask = async (path: string): Promise<{ answer: IncomingMessage; bytes: Buffer | 'cut' }> => {
    const headers = { authorization: `Bearer ${key}` }
    const outgoing = request({ port: started.port, path, headers, agent: false }).end()
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { answer, bytes: await buffer(answer).catch(() => 'cut' as const) }
  }
  return { ...started, ask, token: () => token }
}

const whole = (socket: Socket, status: number, fields: readonly string[], body: Buffer | string) => {
  const lines = [`HTTP/1.1 ${status} X`, ...fields, `content-length: ${Buffer.byteLength(body)}`]
  socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]))
}

const CODINGS: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
  ['identity', (bytes) => bytes],
  ['gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
  ['zstd', zlib.zstdCompressSync],
  ['gzip, br', (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes))],
]

test.each(
  CODINGS.flatMap(([coding, encode]) => [400, 503].map((status) => [coding, status, encode] as const)),
)('replaces the token in a %s body of a %s, with the right length', async (coding, status, encode) => {
  const { ask } = await echoing((socket, token) => {
    const body = encode(Buffer.from(`{"Message":"no ${token}, ${token} is none"}`))
    whole(socket, status, [`content-encoding: ${coding}`, 'content-digest: sha-256=:eA==:'], body)
  })
  const { answer, bytes } = await ask(ACCOUNTS)
  expect([answer.statusCode, String(bytes)]).toEqual([
    status,
    '{"Message":"no [redacted], [redacted] is none"}',
  ])
  expect(answer.headers).toMatchObject({ 'content-length': String(bytes.length) })
  expect(answer.headers).not.toHaveProperty('content-encoding')
  expect(answer.headers).not.toHaveProperty('content-digest')
  proves('G6', { level: 3, cases: 1 })
})

const AWKWARD = 'a+token/of=odd.Chars~'

test.each([
  ['as base64 within other text', Buffer.from(`Bearer ${AWKWARD}, x`).toString('base64')],
  ['as base64 after one character', Buffer.from(`x${AWKWARD}`).toString('base64')],
  ['as base64 for addresses', Buffer.from(`??${AWKWARD}??`).toString('base64url')],
  ['in hexadecimal', Buffer.from(AWKWARD).toString('hex')],
  ['in hexadecimal of capitals', Buffer.from(AWKWARD).toString('hex').toUpperCase()],
  ['with escapes of JSON', String.raw`a\u002Btoken\u002Fof\u003Dodd.Chars~`],
  ['with escapes in lower case', String.raw`a\u002btoken\u002fof\u003dodd.Chars~`],
  ['with escapes of HTML', 'a&#43;token&#47;of&#61;odd.Chars~'],
  ['with hexadecimal escapes of HTML', 'a&#x2B;token&#x2F;of&#x3D;odd.Chars~'],
])('replaces a token echoed %s', (_, echo) => {
  const clean = new TokenRemoval(AWKWARD).from(`{"debug":"${echo}"}`)
  expect(clean).toContain(REDACTED)
  // Nothing else remains, except a few neighbouring characters in base64.
  expect(clean.replace(REDACTED, '').length).toBeLessThan('{"debug":""}'.length + 24)
})

test('a short token has no base64 that other text might contain', () => {
  expect(new TokenRemoval('token').from(Buffer.from('xtoken').toString('base64'))).toBe('eHRva2Vu')
})

test('replaces the token in the body of a redirect', async () => {
  const { ask } = await echoing((socket, token) => whole(socket, 302, ['location: /x'], `see ${token}`))
  expect(String((await ask(ACCOUNTS)).bytes)).toBe('see [redacted]')
})

test.each(CODINGS)('relays a %s error without the token byte for byte', async (coding, encode) => {
  const body = encode(Buffer.from('{"Message":"not now"}'))
  const { ask } = await echoing((socket) => whole(socket, 503, [`content-encoding: ${coding}`], body))
  const { answer, bytes } = await ask(ACCOUNTS)
  expect(Buffer.from(bytes).equals(body)).toBe(true)
  expect(answer.headers).toMatchObject({ 'content-encoding': coding, 'content-length': String(body.length) })
})

test.each(CODINGS)(
  'removes the token everywhere from a %s error longer than one read',
  async (coding, encode) => {
    const noise = randomBytes(LARGE).toString('base64')
    const { ask, token } = await echoing((socket, own) => {
      // The token is before, at and after the end of the part that is read before the response begins, and at
      // the very end.
      const parts = [own, noise.slice(0, (64 << 10) - own.length - 200), own.repeat(4), noise, own]
      whole(socket, 500, [`content-encoding: ${coding}`], encode(Buffer.from(parts.join(' '))))
    })
    const { answer, bytes } = await ask(ACCOUNTS)
    const read = String(bytes)
    expect([read.includes(token()), read.split('[redacted]').length - 1]).toEqual([false, 6])
    expect([read.length > LARGE, read.endsWith(' [redacted]')]).toEqual([true, true])
    expect(answer.headers).not.toHaveProperty('content-length')
    expect(answer.headers).not.toHaveProperty('content-encoding')
  },
)

test('cleans a small error that decodes to a huge one while reading', async () => {
  const { ask } = await echoing((socket, token) => {
    const body = Buffer.concat([Buffer.alloc(8 << 20, ' '), Buffer.from(token)])
    whole(socket, 500, ['content-encoding: gzip'], zlib.gzipSync(body))
  })
  const { bytes } = await ask(ACCOUNTS)
  expect([bytes.length, String(bytes).trim()]).toEqual([(8 << 20) + 10, '[redacted]'])
})

test('relays an error in bytes that are not of their coding unchanged, except for the token', async () => {
  const [coding, body] = ['gzip', 'not now']
  let says = ''
  const { ask } = await echoing((socket, token) =>
    whole(socket, 500, [`content-encoding: ${coding}`], `${body}${says === '' ? '' : token}`),
  )
  for (const end of ['', '[redacted]']) {
    says = end
    const { answer, bytes } = await ask(`${ACCOUNTS}?${end.length}`)
    expect([String(bytes), answer.headers['content-encoding']]).toEqual([`${body}${end}`, coding])
    expect(answer.headers['content-length']).toBe(String(bytes.length))
  }
})

const reversed = (token: string) => Buffer.from(token).reverse()

test.each([
  ['whole', (socket: Socket, token: string) => whole(socket, 500, UNKNOWN, reversed(token))],
  [
    'long',
    (socket: Socket, token: string) =>
      whole(socket, 500, UNKNOWN, Buffer.concat([reversed(token), Buffer.alloc(LARGE)])),
  ],
  [
    'cut',
    (socket: Socket, token: string) => {
      socket.end(`HTTP/1.1 500 X\r\n${UNKNOWN.join('')}\r\ncontent-length: 9000\r\n\r\n${reversed(token)}`)
    },
  ],
])(
  'leaves out the body of a %s error in an unknown coding, in which the token can’t be found',
  async (_, says) => {
    const { ask } = await echoing(says)
    const { answer, bytes } = await ask(ACCOUNTS)
    expect([answer.statusCode, String(bytes), answer.headers['content-length']]).toEqual([500, '', '0'])
    expect(answer.headers).not.toHaveProperty('content-encoding')
  },
)

test.each([400, 429, 500])('an error of %s that is cut is cut for its caller too', async (status) => {
  const { ask } = await echoing((socket, token) => {
    socket.end(`HTTP/1.1 ${status} X\r\ncontent-length: 9000\r\n\r\nno ${token}`)
  })
  const { answer, bytes } = await ask(ACCOUNTS)
  expect([answer.statusCode, bytes]).toEqual([status, 'cut'])
})

test('relays an error without an end after 5 s, cleaned as it arrives', async () => {
  const clock = new SkippingClock()
  let service: Socket | undefined
  const { add, get, token } = await echoing(
    (socket, own) => {
      service = socket
      socket.write(`HTTP/1.1 503 X\r\ncontent-length: ${8 + 2 * own.length}\r\n\r\nno ${own} `)
    },
    { clock },
  )
  const asked = get(ACCOUNTS, add('other'))
  let isAnswered = false
  void asked.then(() => {
    isAnswered = true
  })
  await vi.waitFor(() => expect(service).toBeDefined(), PATIENT)
  await vi.waitFor(() => {
    clock.skip(1_000)
    expect(isAnswered).toBe(true)
  }, PATIENT)
  const answer = await asked
  service?.write(`and ${token()}`)
  expect([answer.status, answer.headers.get('content-length')]).toEqual([503, null])
  expect(await answer.text()).toBe('no [redacted] and [redacted]')
})

test('does not touch a response that is not an error', async () => {
  const { ask, token } = await echoing((socket, own) => whole(socket, 200, [], own))
  const { bytes } = await ask(ACCOUNTS)
  expect(String(bytes)).toBe(token())
})

test('replaces the token everywhere in a value, and drops a field with it in its name', async () => {
  const { ask, token } = await echoing((socket, own, text) => {
    const fields = [`x-echo: ${own};${own}`, `x-${own}-x: 1`, `X-${own.toUpperCase()}: 2`, 'x-kept: 3']
    whole(socket, text.includes('/stream/') ? 400 : 200, fields, '{}')
  })
  for (const path of [ACCOUNTS, QUOTES]) {
    const { answer } = await ask(path)
    expect(answer.headers).toMatchObject({ 'x-echo': '[redacted];[redacted]', 'x-kept': '3' })
    expect(answer.rawHeaders.join().toLowerCase()).not.toContain(token().toLowerCase())
  }
  proves('G6', { level: 3, cases: 2 })
})

test('a rejected shared stream shows no reader the token', async () => {
  const { ask, token } = await echoing((socket, own) => whole(socket, 400, [], `{"Message":"${own} ${own}"}`))
  const { answer, bytes } = await ask(QUOTES)
  expect([answer.statusCode, String(bytes)]).toEqual([400, '{"Message":"[redacted] [redacted]"}'])
  expect([answer.headers['content-length'], token().length > 8]).toEqual([String(bytes.length), true])
})

test.each(CODINGS)(
  'a rejected stream gives its readers a long %s body byte for byte',
  async (coding, encode) => {
    const said = encode(Buffer.from(`{"Message":"é ${randomBytes(40 << 10).toString('hex')}"}`))
    const { ask } = await echoing((socket) => whole(socket, 403, [`content-encoding: ${coding}`], said))
    const answers = await Promise.all([ask(QUOTES), ask(QUOTES)])
    for (const { answer, bytes } of answers) {
      expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([403, coding])
      expect(said.equals(bytes as Buffer)).toBe(true)
    }
  },
)

test('replaces the token in a rejected stream’s compressed body, and reads which quota rejected it', async () => {
  const { ask, token, monitor } = await echoing((socket, own, text) => {
    const error = text.includes('/positions')
      ? '{"Error":"TooManyRequests","Message":"Stream quota exceeded"}'
      : `{"Message":"${own}"}`
    const status = text.includes('/positions') ? 429 : 400
    whole(socket, status, ['content-encoding: gzip'], zlib.gzipSync(error))
  })
  const { answer, bytes } = await ask(QUOTES)
  expect([answer.headers['content-encoding'], String(bytes)]).toEqual([undefined, '{"Message":"[redacted]"}'])
  expect(token().length).toBeGreaterThan(8)
  void ask('/v3/brokerage/stream/accounts/SIM1/positions').catch(() => {})
  const slots = () => monitor.snapshot('key-1')?.slots.find(({ category }) => category === 'Positions Stream')
  await vi.waitFor(() => expect(slots()).toMatchObject({ free: 0, own: 0 }), PATIENT)
})

test.each([
  [
    'cut between two chunks',
    (socket: Socket) => socket.end('HTTP/1.1 400 X\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'),
  ],
  ['shorter than it says', (socket: Socket) => socket.end('HTTP/1.1 400 X\r\ncontent-length: 9\r\n\r\n{}')],
  ['over 1 MiB', (socket: Socket) => whole(socket, 400, [], Buffer.alloc(2 << 20, 'x'))],
])('a rejected stream with a body that is %s does not look whole to its reader', async (_, answer) => {
  const { ask } = await echoing(answer)
  const { answer: told, bytes } = await ask(QUOTES)
  expect([told.statusCode, bytes === 'cut']).toEqual([400, true])
})

/** An error response whose body arrives in these parts. Nothing of it has been read before. */
const inParts = (token: string, parts: readonly string[]) => {
  const body = Object.assign(Readable.from(parts.map((part) => Buffer.from(part))), { complete: true })
  const answer = { status: 500, headers: {}, rawHeaders: ['Content-Length', '1'], body }
  const begun = { bytes: Buffer.alloc(0), rest: 'to-come' as const }
  return text(new TokenRemoval(token).fromError({ answer, begun }).answer.body)
}

test.each([
  ['as it is', 'a/b+c=="d'],
  ['in a URL', 'a%2Fb%2Bc%3D%3D%22d'],
  ['in a URL in lower case', 'a%2fb%2bc%3d%3d%22d'],
  ['in JSON', 'a/b+c==\\"d'],
  ['in the JSON of some', 'a\\/b+c==\\"d'],
])('recognises a token %s', async (_, spelled) => {
  const removal = new TokenRemoval('a/b+c=="d')
  expect(removal.from(`<${spelled}>`)).toBe('<[redacted]>')
  expect(await inParts('a/b+c=="d', ['<', ...spelled, '>'])).toBe('<[redacted]>')
})

test('any chunking of a body gives the same result', async () => {
  const token = 'aabaa/baab'
  const piece = fc.constantFrom(token, 'a', 'aabaa', 'b', 'é', '/baab', token.slice(0, -1))
  await fc.assert(
    fc.asyncProperty(fc.array(piece), fc.array(fc.nat(12)), async (pieces, cuts) => {
      const said = pieces.join('')
      const parts: string[] = []
      let from = 0
      for (const length of cuts) {
        parts.push(said.slice(from, from + length + 1))
        from += length + 1
      }
      expect(await inParts(token, [...parts, said.slice(from)])).toBe(said.replaceAll(token, '[redacted]'))
    }),
    { numRuns: 200 },
  )
})

test('relays a header without a token unchanged', () => {
  const rawHeaders = ['X-Echo', 'abcd abcd']
  const passed = passedHeaders({ status: 200, rawHeaders }, new TokenRemoval('abcd'))
  expect(passed.slice(0, 2)).toEqual(['X-Echo', '[redacted] [redacted]'])
  expect(passedHeaders({ status: 200, rawHeaders }).slice(0, 2)).toEqual(rawHeaders)
})

test('removes a spelling that begins with another one whole', () => {
  expect(new TokenRemoval('ab%').from('?a=ab%25&b=ab%')).toBe(`?a=${REDACTED}&b=${REDACTED}`)
})
