import type { Notification } from 'electron'
import type { Notify } from '../../ports/notify.ts'
import type { Log } from '../../ports/ports.ts'
import type { ElectronPieces } from './electron-pieces.ts'

export interface SystemNotices {
  readonly notify: Notify
  /** What it was about is over. */
  withdraw(tag: string): void
}

/** A system that takes none, or fails to show one, is no error: the window and the tray say the same. */
export function systemNotices(
  { Notification }: Pick<ElectronPieces, 'Notification'>,
  clicked: () => void,
  log: Log,
): SystemNotices {
  const shown = new Map<string, Notification>()
  const withdraw = (tag: string) => {
    shown.get(tag)?.close()
    shown.delete(tag)
  }
  return {
    notify: ({ title, body, tag, isUrgent }) => {
      if (!Notification.isSupported()) return
      withdraw(tag)
      const notification = new Notification({ title, body, urgency: isUrgent ? 'critical' : 'normal' })
      // Kept: one that nothing refers to is collected, and its click with it.
      shown.set(tag, notification)
      notification.on('click', clicked)
      const forget = () => {
        if (shown.get(tag) === notification) shown.delete(tag)
      }
      notification.on('close', forget)
      notification.on('failed', (_event, why) => {
        forget()
        log.note('the system did not show a notification', { tag, why })
      })
      notification.show()
    },
    withdraw,
  }
}
