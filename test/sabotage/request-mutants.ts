import type { Mutant } from './registry.ts'

const NODE_HTTP = 'main/network/http-client.ts'
const NODE_HTTP_TEST = 'main/network/http-client.test.ts'

const ERRORS_ARE_OUTCOMES = `        outgoing.on('error', (error) => finish(lost(wordsOf(error))))
        // Also fires without an error, as when the other side answers with an unrequested upgrade.
        outgoing.on('close', () => {
          if (!answered) finish(lost('connection lost'))
        })
`
const ASK_AGAIN = `        outgoing.on('error', (error) => {
          if (answered) return
          const again = start(request)
          if (typeof again === 'string') return
          again.on('error', () => finish(lost(wordsOf(error))))
          again.on('response', () => finish(lost(wordsOf(error))))
          again.end(request.body)
        })
`

/** Mutants of what becomes of a request that nobody answers, that is given up, or that is refused without a word. */
export const REQUEST_MUTANTS: readonly Mutant[] = [
  {
    promise: 'T3',
    what: 'take a body that is shorter than its length for an answer',
    file: NODE_HTTP,
    find: "response.on('error', (error) => finish({ kind: 'unknown', why: wordsOf(error) }))",
    replace:
      "response.on('error', () => finish({ kind: 'answer', status: response.statusCode ?? 0, headers: headersOf(response), body: body.text() }))",
    test: NODE_HTTP_TEST,
  },
  {
    promise: 'T4',
    what: 'ask again when a connection was reset',
    file: NODE_HTTP,
    find: ERRORS_ARE_OUTCOMES,
    replace: ASK_AGAIN,
    test: NODE_HTTP_TEST,
  },

  {
    promise: 'Q7',
    what: 'take a proxy’s refusal for one that the service has told',
    file: 'app/quota/row-problems.ts',
    find: 'if (this.#told.get(category)?.status === status) return undefined',
    replace:
      'if (this.#told.has(category) || this.#rows.get(category)?.since !== Math.round(nowMs)) return undefined',
    test: 'app/quota/row-problems.test.ts',
  },
]
