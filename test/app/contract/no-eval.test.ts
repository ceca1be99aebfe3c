import { expect, test } from 'vitest'

test('no parser of the contract is built from text, or tests whether it could be', async () => {
  const build = globalThis.Function
  let tries = 0
  // The window's content security policy lacks 'unsafe-eval'. The browser reports every attempt to evaluate
  // code, even if the exception is caught.
  globalThis.Function = new Proxy(build, {
    construct: () => {
      tries += 1
      throw new EvalError('refused by policy')
    },
    apply: () => {
      tries += 1
      throw new EvalError('refused by policy')
    },
  })
  try {
    const { contract } = await import('../../../app/contract/contract.ts')
    for (const entry of Object.values(contract)) {
      if (entry.kind !== 'command') continue
      for (const value of [undefined, {}, { profile: 'p' }, { after: 0 }]) {
        try {
          entry.parse(value)
        } catch (error) {
          expect(error).not.toBeInstanceOf(EvalError)
        }
      }
    }
  } finally {
    globalThis.Function = build
  }
  expect(tries).toBe(0)
})
