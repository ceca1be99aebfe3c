import type { Notification } from 'electron'
import type { Log, Notice } from '../../ports/ports.ts'
import type { ElectronPieces } from './electron-pieces.ts'

/**
 * Shows system notifications. A new notification replaces the one with the same tag. Failures are ignored,
 * because window and tray show the same facts.
 */
export function systemNotices(
  { Notification }: Pick<ElectronPieces, 'Notification'>,
  clicked: () => void,
  log: Log,
) {
  const shown = new Map<string, Notification>()
  /** Closes the notification with `tag`, because its cause has ended. */
  const withdraw = (tag: string) => {
    shown.get(tag)?.close()
    shown.delete(tag)
  }
  return {
    notify: ({ title, body, tag, isUrgent }: Notice) => {
      if (!Notification.isSupported()) return
      withdraw(tag)
      const notification = new Notification({ title, body, urgency: isUrgent ? 'critical' : 'normal' })
      // Keeps a reference until the notification is closed. After garbage collection, a click would have no
      // effect.
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
