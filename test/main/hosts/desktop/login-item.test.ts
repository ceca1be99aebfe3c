import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { entryText, loginItem, startedAtLogin } from '../../../../main/hosts/desktop/login-item.ts'

const configFolder = mkdtempSync(join(tmpdir(), 'headroom-login-'))
afterEach(() => rmSync(configFolder, { recursive: true, force: true }))

function item(platform: NodeJS.Platform, isPackaged = true) {
  const set: unknown[] = []
  const app = {
    isPackaged,
    getLoginItemSettings: (options: { args: string[] }) => ({
      openAtLogin: options.args.includes('--in-tray'),
    }),
    setLoginItemSettings: (settings: unknown) => void set.push(settings),
  }
  const made = loginItem({
    app: app as unknown as Parameters<typeof loginItem>[0]['app'],
    platform,
    configFolder,
    executable: '/opt/Head room/head$room',
  })
  return { made, set }
}

describe('start at login', () => {
  it('is not offered in a checkout', () => {
    expect(item('linux', false).made).toBeUndefined()
    expect(item('darwin', false).made).toBeUndefined()
  })

  it('uses the system’s own setting on macOS and Windows, without a window', () => {
    for (const platform of ['darwin', 'win32'] as const) {
      const { made, set } = item(platform)
      made?.set(true)
      expect(set).toEqual([{ openAtLogin: true, args: ['--in-tray'] }])
      expect(made?.isSet()).toBe(true)
    }
  })

  it('is distinguished from a person’s start if the system reports it, as macOS does', () => {
    const started = (platform: NodeJS.Platform, wasOpenedAtLogin: boolean, isPackaged = true) => {
      const app = { isPackaged, getLoginItemSettings: () => ({ wasOpenedAtLogin }) }
      return startedAtLogin({ app, platform } as unknown as Parameters<typeof startedAtLogin>[0])
    }
    expect([started('darwin', true), started('darwin', false)]).toEqual([true, false])
    expect([started('darwin', true, false), started('win32', true)]).toEqual([false, false])
  })

  it('is a file in a folder on Linux, or its absence', () => {
    const { made } = item('linux')
    const file = join(configFolder, 'autostart', 'headroom.desktop')
    expect(made?.isSet()).toBe(false)
    made?.set(true)
    expect(made?.isSet()).toBe(true)
    expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/Head room/head\\$room" --in-tray\n')
    made?.set(false)
    made?.set(false)
    expect(existsSync(file)).toBe(false)
  })

  it('quotes special characters in a path', () => {
    expect(entryText('/a%20b"c')).toContain('Exec="/a%%20b\\"c" --in-tray')
  })
})
