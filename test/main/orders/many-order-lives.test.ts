import { testLives } from './order-lives.ts'

/** A thousand take a minute. `HEADROOM_ORDER_LIVES=10000` runs more, in about ten minutes. */
const lives = Number(process.env['HEADROOM_ORDER_LIVES'] ?? 1_000)

testLives({ firstSeed: 1_000_000, lives, timeoutMs: 3_600_000 })
