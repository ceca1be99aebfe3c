import type { Announcer } from './announcer.ts'

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
