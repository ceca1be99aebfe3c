import { testLives } from './order-lives.ts'

testLives({ firstSeed: 1_000_000, lives: 10_000, timeoutMs: 3_600_000 })
