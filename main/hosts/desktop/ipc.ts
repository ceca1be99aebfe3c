import type { IpcMain, IpcMainInvokeEvent, WebContents } from 'electron'
import { type Contract, type Handlers, type Pushes, pushesThrough } from '../../../app/contract/ipc.ts'
import type { Log } from '../../ports/ports.ts'
import { answerCommand } from '../answer-command.ts'
import { isAppUrl } from './app-scheme.ts'

/**
 * The answer to a command, as sent to the preload script.
 *
 * A failure is sent as `error`, and the preload script throws it. If a handler threw it here, Electron would
 * wrap it in its own message and write a stack trace to the terminal.
 */
export type Reply = { readonly value: unknown } | { readonly error: string }

/** Runs every command of `contract`. Arguments from an untrusted frame never reach a parser or handler. */
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
          return { error: `${channel}: no such command` }
        case 'bad-argument':
          return { error: answer.error }
        case 'failed':
          log.note('a command of the window failed', { command: channel, cause: answer.cause })
          return { error: answer.error }
      }
    })
  }
}

/**
 * Sends the main process's pushes to a window. Sends nothing if the window is closed or its page has crashed.
 */
export function publish<const C extends Contract>(
  contract: C,
  contents: Pick<WebContents, 'send' | 'isDestroyed' | 'isCrashed'>,
): Pushes<C> {
  return pushesThrough(contract, (channel, value) => {
    if (!contents.isDestroyed() && !contents.isCrashed()) contents.send(channel, value)
  })
}

/**
 * Whether a message comes from the main frame of our window while it shows our page. False for a frame that
 * no longer exists.
 */
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
