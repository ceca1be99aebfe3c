import { derivedKey, seal, unseal } from '../vault/sealing.ts'
import type { Engine } from './engine.ts'

/* The note that a desk's secret was replaced. It is in the store of the former desk, sealed with the former
   secret, so that only a member can write it. */

const KEY = 'r'
const PLACE = { profile: '', kind: 'desk-rotated', generation: 1 } as const
const TEXT = 'rotated'

const keyOf = (secret: string): Uint8Array => derivedKey(Buffer.from(secret, 'base64url'), 'desk rotation')

/** Stores a note on the server that this secret was replaced. Resolves to whether the note was stored. */
export const markRotated = (engine: Pick<Engine, 'write'>, secret: string): Promise<boolean> =>
  engine.write(KEY, seal(keyOf(secret), PLACE, TEXT))

/** Whether the server's store has the note that `markRotated` writes for this secret. */
export async function isRotated(engine: Pick<Engine, 'read'>, secret: string): Promise<boolean> {
  const stored = await engine.read(KEY)
  return stored.known && stored.bytes !== undefined && unseal(keyOf(secret), PLACE, stored.bytes) === TEXT
}
