import type { AlertSeverity, Announcement } from '../../app/contract/alerts.ts'
import { HOUR_MS } from '../../app/contract/units.ts'
import { hourOfToday, minuteText } from '../../app/status/moments.ts'
import type { Look } from '../state/look.ts'

export interface AnnouncePorts {
  readonly look: () => Look
  readonly play: (severity: AlertSeverity) => void
  /**
   * Shows a notification. Absent if the host shows notifications itself or the browser does not support them.
   */
  readonly show?: (announcement: Announcement) => void
  /** Whether the person allows this page to show notifications. */
  readonly isAllowed: () => boolean
}

export function announce(announcement: Announcement, { look, play, show, isAllowed }: AnnouncePorts): void {
  const { sounds, notifications } = look()
  if (sounds.includes(announcement.severity)) play(announcement.severity)
  if (notifications && isAllowed()) show?.(announcement)
}

/** Shows notifications through the browser. `undefined` if the browser does not support them. */
export function browserNotifications(): ((announcement: Announcement) => void) | undefined {
  if (!('Notification' in globalThis)) return undefined
  return ({ id, title, body, severity }) => {
    try {
      const shown = new Notification(title, { body, tag: id, requireInteraction: severity === 'critical' })
      shown.addEventListener('click', () => window.focus())
    } catch {
      // Some browsers show notifications only from a service worker. The page shows the alert anyway.
    }
  }
}

const QUARTER_MS = 15 * 60_000
/**
 * Hour of day, in the displayed zone, until which a person can snooze alerts. In New York, the regular
 * session closes at this hour.
 */
const CLOSE_HOUR = 16

/**
 * Choices for the end of a snooze at `nowMs`: in 15 minutes, in an hour, and at 16:00 if that is later today.
 */
export function snoozeChoices(nowMs: number) {
  const closeMs = hourOfToday(nowMs, CLOSE_HOUR)
  // `untilMs` is epoch ms.
  return [
    { label: '15 min', untilMs: nowMs + QUARTER_MS },
    { label: '1 h', untilMs: nowMs + HOUR_MS },
    ...(closeMs > nowMs ? [{ label: `until ${minuteText(closeMs)}`, untilMs: closeMs }] : []),
  ]
}
