import { createServer } from 'node:http'
import { connect } from 'node:net'

/**
 * A proxy in a separate process. It forwards plain requests and tunnels, and prints to stdout what it read of
 * each.
 *
 * Every name leads to this computer: a tunnel ends at its own port on 127.0.0.1.
 */
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (part: Buffer) => {
    body += part.toString()
  })
  request.on('end', () => {
    say(`read ${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"by":"proxy"}')
  })
})
server.on('connect', (request, client, head) => {
  const port = Number(/:(\d+)$/.exec(request.url ?? '')?.[1] ?? 443)
  say(`tunnel ${request.url} ${JSON.stringify(request.headers)}`)
  const upstream = connect(port, '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    upstream.write(head)
    upstream.pipe(client).pipe(upstream)
  })
  upstream.on('error', () => client.destroy())
  client.on('error', () => upstream.destroy())
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  say(`port ${typeof address === 'object' ? address?.port : ''}`)
})

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
