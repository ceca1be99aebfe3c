import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { onFurtherHeads } from './heads.ts'

const ONE = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

/** Numbers of further heads that are seen, over all chunk sizes. */
function furtherHeads(text: string): ReadonlySet<number> {
  return new Set(
    Array.from({ length: text.length }, (_, at) => {
      const socket = new EventEmitter()
      let further = 0
      onFurtherHeads(socket as unknown as Socket, () => {
        further += 1
      })
      for (let from = 0; from < text.length; from += at + 1)
        socket.emit('data', Buffer.from(text.slice(from, from + at + 1)))
      return further
    }),
  )
}

test('a second response is detected however it is split into chunks, and one response is not two', () => {
  expect(furtherHeads(ONE)).toEqual(new Set([0]))
  expect(furtherHeads(ONE + ONE)).toEqual(new Set([1]))
  expect(furtherHeads(ONE + ONE + ONE)).toEqual(new Set([2]))
})
