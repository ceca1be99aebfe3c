import type { IpcRenderer } from 'electron'
import type { Api, Contract } from '../../../app/contract/ipc.ts'
import type { Reply } from './ipc.ts'

/** The window's functions for `contract`, one per channel. Other channels are not accessible. */
export function bridge<const C extends Contract>(
  contract: C,
  ipc: Pick<IpcRenderer, 'invoke' | 'on' | 'off'>,
): Api<C> {
  const ask = (channel: string) => async (arg: unknown) => {
    const reply: Reply = await ipc.invoke(channel, arg)
    if ('error' in reply) throw new Error(reply.error)
    return reply.value
  }
  const listen = (channel: string) => (listener: (value: unknown) => void) => {
    // The event is not passed on, because its `sender` would expose all of ipcRenderer.
    const relay = (_event: unknown, value: unknown) => listener(value)
    ipc.on(channel, relay)
    return () => void ipc.off(channel, relay)
  }
  const entries = Object.entries(contract).map(([channel, { kind }]) => [
    channel,
    kind === 'command' ? ask(channel) : listen(channel),
  ])
  return Object.fromEntries(entries) as Api<C>
}
