import { expect, test } from 'vitest'
import { trayPresence } from '../../../../main/hosts/desktop/tray-presence.ts'

interface Asked {
  readonly platform?: NodeJS.Platform
  readonly address?: string
  readonly answers?: Readonly<Record<string, string>>
  readonly hasSocket?: boolean
}

function asking({ platform = 'linux', address = 'unix:path=/b', answers = {}, hasSocket = false }: Asked) {
  const asked: string[] = []
  const presence = trayPresence({
    platform,
    environment: { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: '/run/user/1' },
    run: async (program) => {
      asked.push(program)
      return answers[program]
    },
    exists: (path) => hasSocket && path === '/run/user/1/bus',
  })
  return { asked, presence }
}

test('a tray is assumed on systems that always have one', async () => {
  for (const platform of ['win32', 'darwin'] as const) {
    const { asked, presence } = asking({ platform })
    expect([await presence.ask(), presence.isThere, asked]).toEqual([true, true, []])
  }
})

test('on Linux a tray exists if something shows its icons, whichever program can tell', async () => {
  for (const [program, answer] of [
    ['busctl', 'b true\n'],
    ['gdbus', '(true,)\n'],
    ['dbus-send', 'method return\n   boolean true\n'],
  ] as const) {
    const { presence } = asking({ answers: { [program]: answer } })
    expect(presence.isThere).toBe(false)
    expect([program, await presence.ask(), presence.isThere]).toEqual([program, true, true])
  }
})

test('on Linux there is no tray if nothing shows icons, no program can tell, or there is no bus', async () => {
  expect(await asking({ answers: { busctl: 'b false\n', gdbus: '(true,)' } }).presence.ask()).toBe(false)
  const mute = asking({})
  expect([await mute.presence.ask(), mute.asked]).toEqual([false, ['busctl', 'gdbus', 'dbus-send']])
  const noBus = asking({ address: '', answers: { busctl: 'b true' } })
  expect([await noBus.presence.ask(), noBus.asked]).toEqual([false, []])
  expect(await asking({ address: '', answers: { busctl: 'b true' }, hasSocket: true }).presence.ask()).toBe(
    true,
  )
})
