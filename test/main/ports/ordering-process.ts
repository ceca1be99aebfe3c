import { nodeForwardHttp } from '../../../main/network/forward-http.ts'

/**
 * Sends an order twice to each address in its arguments. Prints the outcomes as JSON, and how often an order
 * was about to be sent.
 */
const forward = nodeForwardHttp(process.env)
for (const origin of process.argv.slice(2)) {
  let leaving = 0
  const send = () =>
    new Promise<number | string>((resolve) => {
      forward(
        {
          ...{ method: 'POST', origin, pathAndQuery: '/', headers: {}, body: Buffer.from('{}') },
          timeoutMs: 10_000,
          once: {
            maxIdleMs: 5_000,
            mayGo: () => {
              leaving += 1
              return true
            },
          },
        },
        {
          answered: ({ status, body }) => {
            body.on('end', () => setImmediate(() => resolve(status)))
            body.resume()
          },
          failed: (how) => resolve(how),
        },
      )
    })
  const outcomes = [await send(), await send()]
  process.stdout.write(`${JSON.stringify({ outcomes, leaving })}\n`)
}
process.exit(0)
