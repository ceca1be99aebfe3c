import { readFileSync } from 'node:fs'
import type { CDPSession, Page } from '@playwright/test'

/** The frame that sent a message: the page's own, or one inside the page. */
export interface SendingFrame {
  readonly url: string
  readonly isMain: boolean
}
export type Invoke = (frame: SendingFrame, channel: string, arg: unknown) => Promise<unknown>

const WORLD = 'preload'

/**
 * The real preload bundle in an isolated world of the page, as in Electron: it shares the document with the
 * page, but no objects. What Electron's bridge copies between the worlds is sent here as text in events of
 * the document.
 */
export class PageWorld {
  readonly #cdp: CDPSession
  /** The latest preload world of each frame. */
  readonly #worlds = new Map<string, number>()
  readonly #invoke: Invoke

  private constructor(cdp: CDPSession, invoke: Invoke) {
    this.#cdp = cdp
    this.#invoke = invoke
  }

  static async open(page: Page, preloadPath: string, invoke: Invoke): Promise<PageWorld> {
    const cdp = await page.context().newCDPSession(page)
    const world = new PageWorld(cdp, invoke)
    cdp.on('Runtime.executionContextCreated', ({ context: { id, name, auxData } }) => {
      if (name === WORLD) world.#worlds.set(String(auxData?.['frameId']), id)
    })
    cdp.on('Runtime.bindingCalled', (call) => {
      if (call.name === '__send') world.#answer(call.executionContextId, call.payload).catch(() => {})
    })
    await cdp.send('Runtime.enable')
    await cdp.send('Page.enable')
    await cdp.send('Runtime.addBinding', { name: '__send', executionContextName: WORLD })
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: PAGE_SIDE })
    const source = preloadSide(readFileSync(preloadPath, 'utf8'))
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD })
    return world
  }

  async hear(channel: string, value: unknown): Promise<void> {
    const { frameTree } = await this.#cdp.send('Page.getFrameTree')
    await this.#run(
      frameTree.frame.id,
      `__hear(${JSON.stringify(channel)}, ${JSON.stringify(value) ?? 'undefined'})`,
    )
  }

  crash(): void {
    // The call gets no response, because the page that would respond has crashed.
    this.#cdp.send('Page.crash').catch(() => {})
  }

  async #answer(contextId: number, payload: string): Promise<void> {
    const { id, channel, arg } = JSON.parse(payload)
    const { frameTree } = await this.#cdp.send('Page.getFrameTree')
    const isMain = this.#worlds.get(frameTree.frame.id) === contextId
    const inner = frameTree.childFrames?.find(({ frame }) => this.#worlds.get(frame.id) === contextId)
    const { url } = isMain ? frameTree.frame : (inner?.frame ?? { url: '' })
    const reply = await this.#invoke({ url, isMain }, channel, arg)
    await this.#cdp.send('Runtime.evaluate', {
      contextId,
      expression: `__settle(${id}, ${JSON.stringify(reply)})`,
    })
  }

  async #run(frameId: string, expression: string): Promise<unknown> {
    const contextId = this.#worlds.get(frameId)
    if (contextId === undefined) throw new Error('the frame has no preload world')
    const options = { contextId, awaitPromise: true, returnByValue: true }
    return (await this.#cdp.send('Runtime.evaluate', { expression, ...options })).result.value
  }
}

const PAGE_SIDE = `if (window === window.top) (() => {
  const waiting = new Map(), heard = new Map()
  let last = 0
  const tell = (message) => document.dispatchEvent(new CustomEvent('to-preload', { detail: JSON.stringify(message) }))
  const call = (key, arg) => typeof arg === 'function' ? listen(key, arg) : new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject })
    tell({ call: last, key, arg })
  })
  const listen = (key, listener) => {
    const listening = ++last
    heard.set(listening, listener)
    tell({ listen: listening, key })
    return () => { heard.delete(listening); tell({ stop: listening }) }
  }
  document.addEventListener('to-page', ({ detail }) => {
    const { expose, keys, id, value, error } = JSON.parse(detail)
    if (expose) Object.defineProperty(window, expose, { enumerable: true, value:
      Object.freeze(Object.fromEntries(keys.map((key) => [key, (arg) => call(key, arg)]))) })
    else if (heard.has(id)) heard.get(id)(value)
    else if (error !== undefined) waiting.get(id)?.reject(new Error(error))
    else waiting.get(id)?.resolve(value)
  })
})()`

/** Electron runs a preload in the main frame only. */
const preloadSide = (bundle: string) => `{
  const listeners = new Map(), waiting = new Map(), stops = new Map()
  let last = 0
  globalThis.__hear = (channel, value) => (listeners.get(channel) ?? []).forEach((hear) => hear({}, value))
  globalThis.__settle = (id, reply) => waiting.get(id)?.(reply)
  globalThis.__invoke = (channel, arg) => new Promise((resolve) => {
    waiting.set(++last, resolve)
    __send(JSON.stringify({ id: last, channel, arg }))
  })
  const tell = (message) => document.dispatchEvent(new CustomEvent('to-page', { detail: JSON.stringify(message) }))
  const on = (channel, listener) => listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
  const off = (channel, gone) => listeners.set(channel, (listeners.get(channel) ?? []).filter((l) => l !== gone))
  const exposeInMainWorld = (name, api) => {
    document.addEventListener('to-preload', ({ detail }) => {
      const { call, listen, stop, key, arg } = JSON.parse(detail)
      if (listen) stops.set(listen, api[key]((value) => tell({ id: listen, value })))
      else if (stop) stops.get(stop)?.()
      else api[key](arg).then((value) => tell({ id: call, value }), ({ message }) => tell({ id: call, error: message }))
    })
    tell({ expose: name, keys: Object.keys(api) })
  }
  const require = () => ({ ipcRenderer: { on, off, invoke: __invoke }, contextBridge: { exposeInMainWorld } })
  const module = { exports: {} }
  if (window === window.top) ((require, module, exports) => {
${bundle}
  })(require, module, module.exports)
}`
