import type { Saved } from '../vault/storage-words.ts'
import type { TokenStore } from '../vault/token-store.ts'

/**
 * A store whose failures are all values.
 *
 * A throw is a bug, and still no reason to lose the token that has just come in: it cannot be had again. It is told
 * as a failed write is, by its name alone, because nobody knows what its message holds.
 */
export function sureStore(store: TokenStore): TokenStore {
  const write = (run: () => Saved): Saved => {
    try {
      return run()
    } catch (error) {
      return { ok: false, why: wordsOf(error) }
    }
  }
  return {
    get kind() {
      return store.kind
    },
    read: () => {
      try {
        return store.read()
      } catch (error) {
        return { kind: 'unreadable', why: wordsOf(error) }
      }
    },
    intend: (intent, refreshToken) => write(() => store.intend(intent, refreshToken)),
    save: (tokens) => write(() => store.save(tokens)),
    note: (step, generation, refreshToken) => {
      try {
        store.note(step, generation, refreshToken)
      } catch {
        // For a reader of the journal; what matters is written, and told, by the others.
      }
    },
  }
}

const wordsOf = (error: unknown): string =>
  `the store failed unexpectedly (${error instanceof Error ? error.name : typeof error})`
