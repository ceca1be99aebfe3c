import { EventEmitter } from 'node:events'
import type { IpcMainInvokeEvent, IpcRenderer } from 'electron'
import { describe, expect, it } from 'vitest'
import { contract } from '../../../../app/contract/contract.ts'
import { bridge } from '../../../../main/hosts/desktop/bridge.ts'
import { isOurFrame, publish, serve } from '../../../../main/hosts/desktop/ipc.ts'
import { FakeWindows } from '../browser/fake-windows.ts'

type Listener = (event: IpcMainInvokeEvent, ...args: unknown[]) => unknown

function wire({ trusted = true } = {}) {
  const channels = new Map<string, Listener>()
  const toWindow = new EventEmitter()
  const windows = new FakeWindows()
  const notes: string[] = []
  const pushes = publish(contract, {
    isDestroyed: () => false,
    isCrashed: () => false,
    send: (channel: string, value: unknown) => void toWindow.emit(channel, {}, value),
  })
  const ipcMain = { handle: (channel: string, listener: Listener) => void channels.set(channel, listener) }
  const log = { note: (line: string) => void notes.push(line) }
  serve(contract, windows.open(pushes).handlers, ipcMain, () => trusted, log)
  const ipcRenderer = {
    // Both directions of a real channel are cloned.
    invoke: async (channel: string, arg: unknown) =>
      structuredClone(await channels.get(channel)?.({} as IpcMainInvokeEvent, structuredClone(arg))),
    on: (channel: string, listener: (...args: unknown[]) => void) => toWindow.on(channel, listener),
    off: (channel: string, listener: (...args: unknown[]) => void) => toWindow.off(channel, listener),
  }
  const api = bridge(contract, ipcRenderer as unknown as IpcRenderer)
  return { api, pushes, windows, notes, channels, toWindow }
}

describe('the bridge', () => {
  it('has one function for each channel of the contract and nothing else', () => {
    const { api, channels } = wire()
    expect(Object.keys(api)).toEqual(Object.keys(contract))
    const commands = Object.entries(contract).filter(([, { kind }]) => kind === 'command')
    expect([...channels.keys()]).toEqual(commands.map(([name]) => name))
  })

  it('passes a command to its handler and returns the result', async () => {
    const { api, windows } = wire()
    expect(await api.hello()).toEqual({ version: '0.0.0', host: 'browser' })
    await api.setVisible({ visible: false })
    expect(windows.calls).toEqual([
      ['hello', undefined],
      ['setVisible', { visible: false }],
    ])
  })

  it('passes each push to a listener, without its event, until it unsubscribes', () => {
    const { api, pushes, toWindow } = wire()
    const heard: unknown[][] = []
    const stop = api.profileRemoved((...args) => heard.push(args))
    pushes.profileRemoved({ profile: 'p1' })
    stop()
    pushes.profileRemoved({ profile: 'p2' })
    expect(heard).toEqual([[{ profile: 'p1' }]])
    expect(toWindow.listenerCount('profileRemoved')).toBe(0)
  })
})

describe('main', () => {
  it('never passes data of an untrusted frame to a parser or a handler', async () => {
    const { api, windows, notes } = wire({ trusted: false })
    await expect(api.revoke({ profile: 'p1' })).rejects.toThrow('revoke: refused')
    expect(windows.calls).toEqual([])
    expect(notes).toHaveLength(1)
  })

  it('reports an invalid argument in one line that repeats none of it', async () => {
    const { api, windows } = wire()
    const secret = 'S3CRET'
    const sent = { name: 'n', environment: secret, clientId: 'c', refreshToken: secret }
    const error = await api.connect(sent as never).catch((reason: unknown) => reason)
    expect(error).toEqual(new Error('connect: environment must be one of live, sim, custom'))
    expect(windows.calls).toEqual([])
  })

  it('writes the stack of a failing handler only to its log', async () => {
    const { api, notes } = wire()
    const asked = api.history({ profile: 'p', category: 'c', fromMs: 0, toMs: 1, points: 2 })
    const error = await asked.catch((reason: unknown) => reason)
    expect(String(error)).toBe('Error: history: Headroom failed; see its log')
    expect(notes).toEqual(['a command of the window failed'])
  })

  it('sends nothing to a window that is gone, or whose page ended', () => {
    const send = () => {
      throw new Error('Object has been destroyed')
    }
    for (const [destroyed, crashed] of [
      [true, false],
      [false, true],
    ] as const)
      publish(contract, {
        isDestroyed: () => destroyed,
        isCrashed: () => crashed,
        send,
      }).profileRemoved({ profile: 'p1' })
  })
})

describe('the sender of a command', () => {
  const event = (change: object) => {
    const frame = { isDestroyed: () => false, parent: null, url: 'app://headroom/', ...change }
    return { sender: { id: 1 }, senderFrame: frame } as unknown as IpcMainInvokeEvent
  }

  it('is trusted if it is the main frame of our window on our page', () => {
    expect(isOurFrame(event({}), { id: 1 })).toBe(true)
    expect(isOurFrame(event({ url: 'app://headroom/?x#y' }), { id: 1 })).toBe(true)
  })

  it('is not trusted in another window, a frame inside, gone, or on another page', () => {
    expect(isOurFrame(event({}), { id: 2 })).toBe(false)
    expect(isOurFrame(event({ parent: {} }), { id: 1 })).toBe(false)
    expect(isOurFrame(event({ isDestroyed: () => true }), { id: 1 })).toBe(false)
    expect(isOurFrame({ ...event({}), senderFrame: null }, { id: 1 })).toBe(false)
    for (const url of [
      '',
      'about:blank',
      'https://headroom/',
      'app://headroom.evil.test/',
      'app://evil.test/headroom',
      'app://user@headroom/',
      'app:headroom',
      'data:text/html,app://headroom/',
    ])
      expect([url, isOurFrame(event({ url }), { id: 1 })]).toEqual([url, false])
  })
})
