import { createSecretKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Strangers } from '../../../main/desk/strangers.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import { bytesFrom } from './virtual-desk.ts'

const runOf = (at: number) => ({ member: 'aa'.repeat(8), run: at.toString(16).padStart(32, '0') })
const KEY = createSecretKey(new Uint8Array(32))

function strangers() {
  const clock = new VirtualClock()
  return { clock, known: new Strangers({ clock, randomBytes: bytesFrom(new VirtualRandom(1)) }) }
}

describe('strangers', () => {
  it('are remembered with their highest counter, the last 64 of them', () => {
    const { known } = strangers()
    for (let at = 0; at < 1_000; at += 1) known.met(runOf(at), KEY, 1)
    known.met(runOf(999), KEY, 7)
    expect(known.known(runOf(999))?.counter).toBe(7)
    expect(known.known(runOf(1_000 - 64))?.counter).toBe(1)
    expect(known.known(runOf(1_000 - 65))).toBeUndefined()
  })

  it('are asked once a second at most, and only if they are remembered', async () => {
    const { clock, known } = strangers()
    expect(known.challenge(runOf(1))).toBeUndefined()
    known.met(runOf(1), KEY, 1)
    const first = known.challenge(runOf(1))
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    await clock.advance(999)
    expect(known.challenge(runOf(1))).toBeUndefined()
    await clock.advance(1)
    expect(known.challenge(runOf(1))).not.toBe(first)
  })

  it('prove with the nonce of their own challenge, within five seconds, when it was sent', async () => {
    const { clock, known } = strangers()
    for (const at of [1, 2]) known.met(runOf(at), KEY, 1)
    const sentMs = clock.monotonicMs()
    const nonce = known.challenge(runOf(1))!
    const ofOther = known.challenge(runOf(2))!
    await clock.advance(5_000)
    expect(known.proved(runOf(1), nonce)).toBe(sentMs)
    expect(known.proved(runOf(1), ofOther)).toBeUndefined()
    expect(known.proved(runOf(1), '0'.repeat(32))).toBeUndefined()
    await clock.advance(1)
    expect(known.proved(runOf(1), nonce)).toBeUndefined()
  })

  it('prove with the nonce that went to all, whether they are remembered or not', async () => {
    const { clock, known } = strangers()
    const nonce = known.challengeAll()
    expect(known.proved(runOf(1), nonce)).toBe(clock.monotonicMs())
    known.challengeAll()
    expect(known.proved(runOf(1), nonce)).toBeUndefined()
  })

  it('of another version are not asked again', () => {
    const { known } = strangers()
    known.met(runOf(1), KEY, 1)
    known.setForeign(runOf(1), { name: 'LATER', protocol: 2 })
    expect(known.challenge(runOf(1))).toBeUndefined()
    expect(known.foreign(runOf(1))).toEqual({ name: 'LATER', protocol: 2 })
    known.forget(runOf(1))
    expect(known.foreign(runOf(1))).toBeUndefined()
  })
})
