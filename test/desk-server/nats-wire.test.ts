import { expect, test } from 'vitest'
import { NatsWire } from './nats-wire.ts'

const WIRE = Buffer.from(
  'INFO {"server_id":"x"}\r\nPONG\r\nMSG a.b 1 4\r\n\r\n\r\n\r\nMSG c 2 reply.to 2\r\nhi\r\nHMSG d 3 12 14\r\nNATS/1.0\r\n\r\nhi\r\n-ERR \'no\'\r\n',
)
const PIECES = [
  ['line', undefined, 'INFO {"server_id":"x"}\r\n'],
  ['line', undefined, 'PONG\r\n'],
  ['message', 'a.b', 'MSG a.b 1 4\r\n\r\n\r\n\r\n'],
  ['message', 'c', 'MSG c 2 reply.to 2\r\nhi\r\n'],
  ['message', 'd', 'HMSG d 3 12 14\r\nNATS/1.0\r\n\r\nhi\r\n'],
  ['line', undefined, "-ERR 'no'\r\n"],
]

test('bytes cut at any place give the same messages and lines', () => {
  for (let size = 1; size <= WIRE.length; size += 1) {
    const wire = new NatsWire()
    const pieces = []
    for (let at = 0; at < WIRE.length; at += size) pieces.push(...wire.push(WIRE.subarray(at, at + size)))
    expect(pieces.map(({ kind, subject, bytes }) => [kind, subject, bytes.toString()])).toEqual(PIECES)
  }
})
