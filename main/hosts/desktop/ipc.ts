import type { IpcMain, IpcMainInvokeEvent, WebContents } from 'electron'
import { type Contract, type Handlers, type Pushes, pushesThrough } from '../../../app/contract/ipc.ts'
import type { Log } from '../../ports/ports.ts'
import { answerCommand } from '../answer-command.ts'
import { isAppUrl } from './app-scheme.ts'

/**
 * A command's answer as it crosses to the preload script.
 *
 * An error thrown in a handler would reach the window dressed with Electron's own words, and the terminal with a
 * stack; so a failure is a value until the bridge throws it, one clear line.
 */
export type Reply = { readonly value: unknown } | { readonly error: string }

/** Answers every command of `contract`; what an untrusted frame sends never reaches a parser or a handler. */
export function serve<const C extends Contract>(
  contract: C,
  handlers: Handlers<C>,
  ipcMain: Pick<IpcMain, 'handle'>,
  isTrusted: (event: IpcMainInvokeEvent) => boolean,
  log: Log,
): void {
  for (const [channel, { kind }] of Object.entries(contract)) {
    if (kind !== 'command') continue
    ipcMain.handle(channel, async (event, received: unknown): Promise<Reply> => {
      if (!isTrusted(event)) {
        log.note('a command came from a frame that is not the window', { command: channel })
        return { error: `${channel}: refused` }
      }
      const answer = await answerCommand(contract, handlers, channel, received)
      switch (answer.kind) {
        case 'value':
          return { value: answer.value }
        case 'unknown-command':
          return { error: `${channel}: there is no such command` }
        case 'bad-argument':
          return { error: answer.error }
        case 'failed':
          log.note('a command of the window failed', { command: channel, cause: answer.cause })
          return { error: answer.error }
      }
    })
  }
}

/** Main's side of the pushes. A window that is gone, or whose page ended, is told nothing. */
export function publish<const C extends Contract>(
  contract: C,
  contents: Pick<WebContents, 'send' | 'isDestroyed' | 'isCrashed'>,
): Pushes<C> {
  return pushesThrough(contract, (channel, value) => {
    if (!contents.isDestroyed() && !contents.isCrashed()) contents.send(channel, value)
  })
}

/** The main frame of our window, while it shows our page. A frame that is gone has no say either. */
export function isOurFrame(
  { sender, senderFrame }: Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'>,
  contents: Pick<WebContents, 'id'>,
): boolean {
  return (
    sender.id === contents.id &&
    senderFrame !== null &&
    !senderFrame.isDestroyed() &&
    senderFrame.parent === null &&
    isAppUrl(senderFrame.url)
  )
}
