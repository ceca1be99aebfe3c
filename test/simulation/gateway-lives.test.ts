import { testLives } from './gateway-lives.ts'

testLives({ firstSeed: 1, lives: 300, timeoutMs: 240_000 })
