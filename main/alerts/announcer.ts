import type { Severity } from '../../app/alerts/kinds.ts'
import type { Notify } from '../ports/notify.ts'

/** What is said of one episode to a person who is not looking at the window. */
export interface Announcement {
  /** Of one episode: the same id is never announced twice. */
  readonly id: string
  readonly severity: Severity
  readonly title: string
  readonly body: string
}

/** The host's way of speaking up: a system notification, a terminal's bell, or nothing. */
export interface Announcer {
  announce(announcement: Announcement): void
  /** What it was about is over; one that is gone already is not an error. */
  withdraw(id: string): void
}

export const SILENT: Announcer = { announce: () => {}, withdraw: () => {} }

/** Through the system's notifications, where the host has them. */
export const throughNotify = (notify: Notify): Announcer => ({
  announce: ({ id, severity, title, body }) =>
    notify({ title, body, tag: id, isUrgent: severity === 'critical' }),
  withdraw: () => {},
})

/** A terminal's bell, and a line where one can be written. Good news is not worth a bell. */
export function bellAnnouncer(ring: () => void, say: (line: string) => void): Announcer {
  return {
    announce: ({ severity, title, body }) => {
      if (severity !== 'info') ring()
      say(`${title}. ${body}`)
    },
    // A line that was written is not taken back.
    withdraw: () => {},
  }
}
