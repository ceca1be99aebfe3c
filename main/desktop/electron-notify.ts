import type { Notification } from 'electron'
import type { Notify } from '../ports/notify.ts'
import type { ElectronPieces } from './electron-pieces.ts'

/** A system that takes none is no error: the window and the tray say the same. */
export function electronNotify(
  { Notification }: Pick<ElectronPieces, 'Notification'>,
  clicked: () => void,
): Notify {
  const shown = new Map<string, Notification>()
  return ({ title, body, tag, isUrgent }) => {
    if (!Notification.isSupported()) return
    shown.get(tag)?.close()
    const notification = new Notification({ title, body, urgency: isUrgent ? 'critical' : 'normal' })
    // Kept: one that nothing refers to is collected, and its click with it.
    shown.set(tag, notification)
    notification.on('click', clicked)
    notification.on('close', () => {
      if (shown.get(tag) === notification) shown.delete(tag)
    })
    notification.show()
  }
}
