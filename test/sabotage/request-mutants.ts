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
  },
  {
    promise: 'T1',
    what: 'accept compressed token responses, which are not decoded',
    file: NODE_HTTP,
    find: "{ 'accept-encoding': 'identity', ...request.headers }",
    replace: '{ ...request.headers }',
  },
]
