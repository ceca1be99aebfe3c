import type { Socket } from 'node:net'

const HEAD = /HTTP\/1\.1 \d{3} /g
const HEAD_LENGTH = 'HTTP/1.1 200 '.length

/** Calls `more` for each head after the first on a connection; returns a function that stops it. */
export function onFurtherHeads(socket: Pick<Socket, 'on' | 'off'>, more: () => void): () => void {
  let [seen, tail] = [0, '']
  const look = (bytes: Buffer) => {
    const text = tail + bytes.toString('latin1')
    const heads = [...text.matchAll(HEAD)].length
    for (let head = 0; head < heads; head += 1) if (++seen > 1) more()
    // A head that ends in the next chunk is counted there. A head that was already counted is not counted
    // again.
    tail = text.replaceAll(HEAD, (head) => ' '.repeat(head.length)).slice(-(HEAD_LENGTH - 1))
  }
  socket.on('data', look)
  return () => void socket.off('data', look)
}
