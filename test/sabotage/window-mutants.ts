import type { Mutant } from './registry.ts'

const HOSTILE = 'e2e/window/hostile-strings.spec.ts'
const IMAGE = 'an image that does not load from a server'
const AGES = 'e2e/shown-ages.spec.ts'
const BAND = 'renderer/history/band.ts'

/**
 * Mutants of the window: text that is interpreted as more than text, and numbers that look newer than they
 * are.
 */
export const WINDOW_MUTANTS: readonly Mutant[] = [
  {
    promise: 'Q11',
    what: 'name one of the categories that share a quota, and leave the others to be missed',
    file: 'renderer/capacity/capacity-row.tsx',
    find: '            + {counted}\n',
    replace: "            + {counted.split(', ')[0]}\n",
    test: 'e2e/window/window.spec.ts',
    grep: 'one row that names them all',
  },

  {
    promise: 'W3',
    what: 'let the text of an event be markup',
    file: 'renderer/events/event-row.tsx',
    find: '<span>{title}</span>',
    replace: '<span dangerouslySetInnerHTML={{ __html: title }} />',
    test: HOSTILE,
    grep: IMAGE,
  },

  {
    promise: 'Q5',
    what: 'count the age from the snapshot instead of the header, in a browser',
    file: 'app/status/quota-status.ts',
    find: '(nowMs - quota.observedAt) / 1000))} s',
    replace: '(nowMs - quota.asOf) / 1000))} s',
    test: AGES,
  },

  {
    promise: 'Q5',
    what: 'draw what was modelled as if a header had said it',
    file: BAND,
    find: '} else rows.push({ at: at(index + 0.5), band, modelled: !header })',
    replace: '} else rows.push({ at: at(index + 0.5), band, modelled: !header && band.length > 2 })',
  },
]
