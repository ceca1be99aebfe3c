import type { Sabotage } from './registry.ts'

const EVENT_ROW = 'renderer/events/event-row.tsx'

/** Breaks of what a person sees, and of who else may see it: most of them are noticed in a real browser only. */
export const WINDOW_SABOTAGES: readonly Sabotage[] = [
  {
    promise: 'W3',
    what: 'let the text of an event be markup',
    file: EVENT_ROW,
    find: '<span>{text}</span>',
    replace: '<span dangerouslySetInnerHTML={{ __html: text }} />',
    test: 'e2e/window/window.spec.ts',
    grep: 'strings from servers are text and nothing else',
  },
  {
    promise: 'Q5',
    what: 'show an hour-old number as a live one, seen in a browser',
    file: 'app/quota/stale.ts',
    find: '> STALE_AFTER_MS',
    replace: '> 60 * STALE_AFTER_MS',
    test: 'e2e/shown-ages.spec.ts',
  },
]
