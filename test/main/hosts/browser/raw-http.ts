import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Sends exactly these bytes, and reads until the other side closes. No client library corrects them. */
export function rawExchange(port: number, request: string, host = '127.0.0.1'): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host })
    let text = ''
    socket.setEncoding('utf8')
    socket.setTimeout(10_000, () => socket.destroy(new Error('timed out')))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', (error) => (text === '' ? reject(error) : undefined))
    socket.on('close', () => resolve(parseAnswer(text)))
    socket.on('connect', () => socket.write(request))
  })
}

export interface RequestParts {
  readonly method?: string
  readonly target?: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: string
}

/** `connection: close` and a right content length; everything else as given. */
export function requestText({ method = 'GET', target = '/', headers = [], body = '' }: RequestParts): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const length = method === 'POST' || body !== '' ? [`content-length: ${Buffer.byteLength(body)}`] : []
  return [`${method} ${target} HTTP/1.1`, ...lines, ...length, 'connection: close', '', body].join('\r\n')
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) }
}
