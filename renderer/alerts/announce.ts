import type { AlertSeverity, Announcement } from '../../app/contract/alerts.ts'
import type { Look } from '../state/look.ts'

export interface AnnouncePorts {
  readonly look: () => Look
  readonly play: (severity: AlertSeverity) => void
  /** Shows a notification; absent if the host shows its own, or the browser has none. */
  readonly show?: (announcement: Announcement) => void
  /** Whether the person allows notifications of this page. */
  readonly isAllowed: () => boolean
}

/** Announces one alert outside the page, by sound and notification if enabled. */
export function announce(announcement: Announcement, { look, play, show, isAllowed }: AnnouncePorts): void {
  const { sounds, notifications } = look()
  if (sounds.includes(announcement.severity)) play(announcement.severity)
  if (notifications && isAllowed()) show?.(announcement)
}

/** Notifications of the browser; `undefined` if it has none. */
export function browserNotifications(): ((announcement: Announcement) => void) | undefined {
  if (!('Notification' in globalThis)) return undefined
  return ({ id, title, body, severity }) => {
    try {
      const shown = new Notification(title, { body, tag: id, requireInteraction: severity === 'critical' })
      shown.addEventListener('click', () => window.focus())
    } catch {
      // Some browsers show them only from a service worker; the page shows the alert in any case.
    }
  }
}
