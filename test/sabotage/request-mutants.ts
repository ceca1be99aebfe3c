import type { Mutant } from './registry.ts'

const NODE_HTTP = 'main/network/http-client.ts'
const NODE_HTTP_TEST = 'main/network/http-client.test.ts'

const ERRORS_ARE_OUTCOMES = `        if (state === 'sent') lost(wordsOf(error))
        // Node would end a body without a length as if it were complete.
        else if (state === 'answered' && body?.complete === false) body.destroy(error)
      })
      // \`close\` also fires without an error, for example if the other side sends an upgrade that was not
      // requested.
      outgoing.on('close', () => {
        if (state === 'sent') lost(CONNECTION_LOST)
      })
`
const ASK_AGAIN = `        if (state !== 'sent') return
        const again = begin(request, targetOf)
        if (typeof again === 'string') return
        again.on('error', () => lost(wordsOf(error)))
        again.on('response', () => lost(wordsOf(error)))
        again.end(request.body)
      })
`

/**
 * Mutants of requests that get no response, are abandoned, or are rejected without a reason.
 */
export const REQUEST_MUTANTS: readonly Mutant[] = [
  {
    promise: 'G6',
    what: 'read a flood of frames for as long as it lasts',
    file: NODE_HTTP,
    find: 'MAX_TURN_BYTES = 64 << 10',
    replace: 'MAX_TURN_BYTES = 64 << 20',
    found: 'A stream that flooded kept requests of all programs waiting for up to 0.4 s',
    tests: ['a flood of frames leaves other connections a turn after each 64 kB'],
  },
  {
    promise: 'T3',
    what: 'take a body that is shorter than its length for an answer',
    file: NODE_HTTP,
    find: "answer.on('error', (error) => failed(wordsOf(error)))",
    replace:
      "answer.on('error', () => whole({ kind: 'answer', status: answer.statusCode ?? 0, headers: headersOf(answer), body: body.text() }))",
  },
  {
    promise: 'T4',
    what: 'ask again when a connection was reset',
    file: 'main/network/node-wire.ts',
    find: ERRORS_ARE_OUTCOMES,
    replace: ASK_AGAIN,
    test: NODE_HTTP_TEST,
  },

  {
    promise: 'Q7',
    what: 'treat a proxy’s rejection as one that the service reported',
    file: 'app/quota/row-problems.ts',
    find: 'if (this.#refused.get(category) === refused.status) return',
    replace: 'this.#refused.set(category, refused.status)',
    found: 'A rejection of the service after a proxy’s of the same status was not reported',
    tests: [
      'a %d from another sender is the problem of its row without an event; the service’s own is reported after it',
    ],
  },
  {
    promise: 'T1',
    what: 'accept compressed token responses, which are not decoded',
    file: NODE_HTTP,
    find: "{ 'accept-encoding': 'identity', ...request.headers }",
    replace: '{ ...request.headers }',
    found: 'A sign-in host that compresses unless it is asked not to cost a rotating key its token',
    tests: ['asks for responses that are not compressed, because it reads them as they are'],
  },
]
