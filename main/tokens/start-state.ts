import { type KeyState, lostKeyState } from '../../app/tokens/key-state.ts'
import { restoredState } from '../../app/tokens/stored-token.ts'
import type { TokenReading } from '../vault/token-store.ts'

const LOST_WORDS = {
  'key-changed': 'the stored token cannot be opened: the keystore has another key',
  'record-corrupt': 'the stored token is damaged',
} as const

/** How a key starts, from what its store had to say. */
export function startState(reading: TokenReading, nowMs: number): KeyState {
  switch (reading.kind) {
    case 'found':
      return restoredState(reading.stored, nowMs)
    case 'lost':
      return lostKeyState(reading.why ?? LOST_WORDS[reading.state])
    case 'none':
      return lostKeyState('no token is stored')
    case 'unreadable':
      return lostKeyState(`the stored token cannot be read: ${reading.why}`)
  }
}
