import type { Mutant } from './registry.ts'

const HOSTILE = 'e2e/window/hostile-strings.spec.ts'
const IMAGE = 'an image that does not load from a server'
// React itself disarms an address that is code.
const DATA = 'an address that is a page from a server'
const LINK = 'a link and a form from a server'
const AGES = 'e2e/shown-ages.spec.ts'
const PAUSE_TEST = 'renderer/state/pause.test.ts'
const TABLE_TEST = 'e2e/window/table.spec.ts'
const BAND = 'renderer/history/band.ts'
const BAND_TEST = 'renderer/history/band.test.ts'

/** Mutants of what a person sees: text that is more than text, and numbers that look newer than they are. */
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
    promise: 'Q11',
    what: 'show a row of its own for a category that another row counts',
    file: 'app/quota/verdict.ts',
    find: 'rows.filter((row) => row.countedBy === undefined)',
    replace: "rows.filter((row) => row.countedBy !== '')",
    test: 'app/quota/shown-rows.test.ts',
  },
  {
    promise: 'W3',
    what: 'let the text of an event be markup',
    file: 'renderer/events/event-row.tsx',
    find: '<span>{text}</span>',
    replace: '<span dangerouslySetInnerHTML={{ __html: text }} />',
    test: HOSTILE,
    grep: IMAGE,
  },
  {
    promise: 'W3',
    what: 'let the text of an alert be markup',
    file: 'renderer/alerts/alerts-dialog.tsx',
    find: '<b>{title}</b>\n        <p>\n',
    replace: '<b dangerouslySetInnerHTML={{ __html: title }} />\n        <p>\n',
    test: HOSTILE,
    grep: IMAGE,
  },
  {
    promise: 'W3',
    what: 'make a link of the reason why a stream waits',
    file: 'renderer/streams/stream-row.tsx',
    find: "{reason && <span className={css('reason')}>{reason}</span>}",
    replace: "{reason && <a href={reason} className={css('reason')}>{reason}</a>}",
    test: HOSTILE,
    grep: DATA,
  },
  {
    promise: 'W3',
    what: 'ask for what a reason names',
    file: 'renderer/shell/banner.tsx',
    find: '  const { action } = banner\n',
    replace: "  const { action } = banner\n  if (banner.text.includes('//')) void fetch(banner.text)\n",
    test: HOSTILE,
    grep: LINK,
  },
  {
    promise: 'Q5',
    what: 'show an hour-old number as a live one, in a browser',
    file: 'app/status/quota-status.ts',
    find: '> STALE_AFTER_MS',
    replace: '> 60 * STALE_AFTER_MS',
    test: AGES,
  },
  {
    promise: 'Q5',
    what: 'count the age from the snapshot instead of the header',
    file: 'app/status/quota-status.ts',
    find: ': sinceText(quota.observedAt, nowMs)',
    replace: ': sinceText(quota.asOf, nowMs)',
    test: 'app/status/age.test.ts',
  },
  {
    promise: 'Q5',
    what: 'count the age from the snapshot instead of the header, in a browser',
    file: 'app/status/quota-status.ts',
    find: ': sinceText(quota.observedAt, nowMs)',
    replace: ': sinceText(quota.asOf, nowMs)',
    test: AGES,
  },
  {
    promise: 'Q5',
    what: 'count ages on the clock of the window, which may be minutes off',
    file: 'renderer/state/ticker.ts',
    find: 'const read = () => clock.wallMs() + skewMs()',
    replace: 'const read = () => clock.wallMs() + 0 * skewMs()',
    test: AGES,
  },
  {
    promise: 'Q5',
    what: 'believe a snapshot that waited in a frozen tab',
    file: 'renderer/state/skew.ts',
    find: 'seenMs > skew.ms + SETTLED_MS',
    replace: 'Math.abs(seenMs - skew.ms) > SETTLED_MS',
    test: 'renderer/state/skew.test.ts',
  },
  {
    promise: 'Q5',
    what: 'let a number of which nobody knows how old it is pass for a live one while the window is paused',
    file: 'renderer/state/pause.ts',
    find: 'if (!isPaused()) mirror.setState(state, true)',
    replace: 'if (!isPaused() || alerts.length >= 0) mirror.setState(state, true)',
    test: PAUSE_TEST,
  },
  {
    promise: 'Q5',
    what: 'let the clock of a paused window run on, and its modelled numbers with it',
    file: 'renderer/state/pause.ts',
    find: 'nowMs: () => pause.getState().sinceMs ?? liveTicker.nowMs(),',
    replace: 'nowMs: () => liveTicker.nowMs(),',
    test: PAUSE_TEST,
  },
  {
    promise: 'Q5',
    what: 'draw a line across hours in which nothing was seen',
    file: BAND,
    find: 'const MAX_EMPTY = 2',
    replace: 'const MAX_EMPTY = 20',
    test: BAND_TEST,
  },
  {
    promise: 'Q5',
    what: 'draw what was modelled as if a header had said it',
    file: BAND,
    find: '} else rows.push({ at: at(index + 0.5), band, modelled: !header })',
    replace: '} else rows.push({ at: at(index + 0.5), band, modelled: !header && band.length > 2 })',
    test: BAND_TEST,
  },
  {
    promise: 'W6',
    what: 'show an older snapshot than the one on screen',
    file: 'renderer/state/mirror-state.ts',
    find: 'return snapshot.revision < shown.revision ||\n',
    replace: 'return snapshot.revision < 0 ||\n',
    test: 'renderer/state/mirror-state.test.ts',
  },
  {
    promise: 'Q5',
    what: 'count the headline’s own finding among those that are more',
    file: 'renderer/verdict/finding-chips.tsx',
    find: 'const more = others.length - chips.length',
    replace: 'const more = others.length + 1 - chips.length',
    test: 'e2e/window/headline.spec.ts',
    grep: 'more findings than the first',
  },
  {
    promise: 'Q5',
    what: 'let the headline scroll away in a low window',
    file: 'renderer/shell/shell.module.css',
    find: '    position: sticky;\n    z-index: 5;',
    replace: '    position: static;\n    z-index: 5;',
    test: 'e2e/window/headline.spec.ts',
    grep: 'at 1024×700',
  },
  {
    promise: 'W6',
    what: 'let the chart change to another row by itself',
    file: 'renderer/capacity/chosen-category.ts',
    find: 'if (!isChosen && worst !== undefined) view.setState({ category: worst })',
    replace: 'if (worst !== undefined) view.setState({ category: worst })',
    test: TABLE_TEST,
    grep: 'the chosen row stays',
  },
  {
    promise: 'W6',
    what: 'fold a row that the service refuses',
    file: 'renderer/capacity/row-groups.ts',
    find: ' && problem === undefined',
    replace: ' && problem !== null',
    test: 'renderer/capacity/row-groups.test.ts',
  },
]
