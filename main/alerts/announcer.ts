import type { Announcement } from '../../app/contract/alerts.ts'
import type { Notify } from '../ports/ports.ts'

/** The notification channel of a host: system notifications, a terminal's bell, or none. */
export interface Announcer {
  announce(announcement: Announcement): void
  /** Removes the notification of an alert that has ended. An unknown id is not an error. */
  withdraw(id: string): void
}

/** An announcer for hosts without a notification channel. */
export const SILENT: Announcer = { announce: () => {}, withdraw: () => {} }

/** Announces through the system's notifications. */
export const throughNotify = (notify: Notify): Announcer => ({
  announce: ({ id, severity, title, body }) =>
    notify({ title, body, tag: id, isUrgent: severity === 'critical' }),
  withdraw: () => {},
})

/** Announces in a terminal, with one line through `say` and a bell unless the severity is `ok`. */
export function bellAnnouncer(ring: () => void, say: (line: string) => void): Announcer {
  return {
    announce: ({ severity, title, body }) => {
      if (severity !== 'ok') ring()
      say(`${title}. ${body}`)
    },
    // A printed line cannot be withdrawn.
    withdraw: () => {},
  }
}
