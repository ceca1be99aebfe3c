import { describe, expect, it } from 'vitest'
import { type DesktopEnvironment, findDesktop } from '../../../../main/hosts/terminal/find-runtime.ts'

const PATH = '/opt/electron/electron'

function environment(change: Partial<DesktopEnvironment>): DesktopEnvironment {
  return {
    platform: 'linux',
    variables: { DISPLAY: ':0' },
    userId: 1000,
    installedRuntime: () => PATH,
    downloadRuntime: async () => {
      throw new Error('nothing was to be downloaded')
    },
    ...change,
  }
}
const browser = (reason: string) => ({ kind: 'browser', reason })
const desktop = { kind: 'desktop', electronPath: PATH }

describe('the desktop window', () => {
  it('needs a display and the installed runtime', async () => {
    expect(await findDesktop(environment({}))).toEqual(desktop)
    expect(await findDesktop(environment({ variables: { WAYLAND_DISPLAY: 'wayland-0' } }))).toEqual(desktop)
  })

  it('needs a display on Linux, and no variable for it elsewhere', async () => {
    expect(await findDesktop(environment({ variables: {} }))).toEqual(browser('no display'))
    expect(await findDesktop(environment({ variables: { DISPLAY: '' } }))).toEqual(browser('no display'))
    for (const platform of ['darwin', 'win32'] as const)
      expect(await findDesktop(environment({ platform, variables: {} }))).toEqual(desktop)
  })

  it('does not open as root', async () => {
    expect(await findDesktop(environment({ userId: 0 }))).toEqual(browser('running as root'))
    expect(await findDesktop(environment({ platform: 'win32', userId: undefined }))).toEqual(desktop)
  })

  it('downloads the runtime if only that is missing, with five seconds to connect', async () => {
    const waits: number[] = []
    const missing = {
      installedRuntime: () => undefined,
      downloadRuntime: async (connectTimeoutMs: number) => {
        waits.push(connectTimeoutMs)
        return { kind: 'desktop', electronPath: PATH } as const
      },
    }
    expect(await findDesktop(environment(missing))).toEqual(desktop)
    expect(waits).toEqual([5000])
    // No runtime is downloaded that could not be used.
    expect(await findDesktop(environment({ ...missing, userId: 0 }))).toEqual(browser('running as root'))
    expect(waits).toHaveLength(1)
  })

  it('is abandoned with a reason if its runtime is unavailable', async () => {
    const unavailable = { kind: 'browser', reason: 'Electron is not installed' } as const
    const missing = { installedRuntime: () => undefined, downloadRuntime: async () => unavailable }
    expect(await findDesktop(environment(missing))).toEqual(unavailable)
  })
})
