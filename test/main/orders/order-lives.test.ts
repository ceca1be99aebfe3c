import { testLives } from './order-lives.ts'

testLives({ firstSeed: 1, lives: 300, timeoutMs: 240_000 })
