import { expect, test } from 'vitest'
import { gatewayCommands } from '../../../main/gateway/gateway-commands.ts'

type Commanded = Parameters<typeof gatewayCommands>[0]
const BOT = { name: 'bot', class: 'normal', weight: 1, profile: 'key-1' } as const

/** A gateway that makes each requested change, or rejects it for the reason `why`. */
function commands(why?: string) {
  const asked: unknown[] = []
  const refused = { ok: false, why }
  const does = (answer: object) => (what?: unknown) => {
    asked.push(what)
    return why === undefined ? { ok: true, ...answer } : refused
  }
  const gateway = {
    summary: { state: 'off' },
    programs: () => [],
    nextPort: 5000,
    turnOn: async (port?: number) => does({})(port),
    turnOff: async () => does({})('off'),
    add: does({ key: 'secret', program: BOT }),
    cut: does({}),
    pause: does({ until: 5 }),
    resume: does({}),
  } as unknown as Commanded
  return { asked, handlers: gatewayCommands(gateway).handlers }
}

test('the window gets the gateway, its programs and its next port', async () => {
  expect(await commands().handlers.gateway(undefined)).toEqual({
    gateway: { state: 'off' },
    programs: [],
    nextPort: 5000,
  })
})

test('the gateway turns on at the chosen port, or the gateway’s own one, and off', async () => {
  const { asked, handlers } = commands()
  expect(await handlers.setGateway({ on: true, port: 5000 })).toEqual({ ok: true })
  await handlers.setGateway({ on: true })
  await handlers.setGateway({ on: false, port: 5000 })
  expect(asked).toEqual([5000, undefined, 'off'])
})

test('adding a program returns its key and nothing else of it', async () => {
  const { asked, handlers } = commands()
  expect(await handlers.addProgram(BOT)).toEqual({ ok: true, key: 'secret' })
  expect(await handlers.cutProgram({ name: 'bot' })).toEqual({ ok: true })
  expect(asked).toEqual([BOT, 'bot'])
})

test('a program is paused until the returned time, and resumed, by its name', async () => {
  const { asked, handlers } = commands()
  expect(await handlers.pauseProgram({ name: 'bot' })).toEqual({ ok: true, until: 5 })
  expect(await handlers.resumeProgram({ name: 'bot' })).toEqual({ ok: true })
  expect(asked).toEqual(['bot', 'bot'])
})

test('a rejection by the gateway is a sentence', async () => {
  const { handlers } = commands('there is no key')
  const refusal = { ok: false, code: 'gateway', message: 'There is no key.' }
  expect(await handlers.setGateway({ on: true })).toEqual(refusal)
  expect(await handlers.setGateway({ on: false })).toEqual(refusal)
  expect(await handlers.addProgram(BOT)).toEqual(refusal)
  expect(await handlers.cutProgram({ name: 'bot' })).toEqual(refusal)
  expect(await handlers.pauseProgram({ name: 'bot' })).toEqual(refusal)
  expect(await handlers.resumeProgram({ name: 'bot' })).toEqual(refusal)
})
