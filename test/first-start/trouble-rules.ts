import type { Look, Note } from './look.ts'
import { ALERT_SLACK_MS, BACK_MS, EXPECTED, hasLasted, isUnsettled, type Trouble } from './troubles.ts'

/** Checks that a fault is shown as the cause on every surface while it lasts, and on none afterwards. */
export function inTroubles(looks: readonly Look[], look: Look, note: Note): void {
  const { troubles, shown } = look
  for (const trouble of troubles) {
    if (hasLasted(trouble, EXPECTED[trouble.kind].seenMs, shown.atMs)) whileItLasts(trouble, looks, note)
  }
  if (troubles.length > 0 && !troubles.some((one) => isUnsettled(one, shown.atMs))) afterwards(look, note)
  inAgreement(looks, look, note)
}

function whileItLasts({ kind, fromMs }: Trouble, looks: readonly Look[], note: Note): void {
  const look = looks.at(-1)
  if (look === undefined) return
  const { word, headline, alert, incident, stops, holdMs } = EXPECTED[kind]
  const { shown, glance, alerts } = look
  const told = (what: string, is: string) => note('trouble', `${what}: ${is}`, `${kind} is broken`)
  const isHeadline = headline.test(shown.headline.text)
  if (stops || kind === 'stream') {
    if (!isHeadline || !word.test(shown.headline.word)) told('headline', shown.headline.text)
    if (!word.test(glance.word)) told('glance', `${glance.word}, ${glance.lines.join(' ')}`)
  } else {
    // The headline may be about a quota with a more severe problem. Then the fault must be in a chip.
    if (!isHeadline && !shown.chips.some(({ label }) => word.test(label))) told('chips', textOf(shown.chips))
    if (!word.test(glance.word) && !glance.cards.some(({ label }) => word.test(label))) {
      told('cards', textOf(glance.cards))
    }
  }
  if (stops) {
    for (const row of shown.rows) {
      if (
        !/^(?:not checked|rejected)/.test(row.state) ||
        /\bnow\b|\bper\b/.test(row.safe) ||
        row.nextCheck !== ''
      ) {
        told('row', `${row.category} ${row.state}, pace ${row.safe}, next check ${row.nextCheck}`)
      }
    }
    const fine = ['slots', 'quotas'].filter((aspect) => shown.aspects[aspect] === 'ok')
    if (fine.length > 0) told('parts', `${fine.join(' and ')} ok`)
    if (glance.facts['Slots'] === 'ok') told('glance', 'Slots ok')
    if (shown.chips.some(({ label }) => /^(?:watch|low|running out|empty|429|full)$/.test(label))) {
      told('chips', textOf(shown.chips))
    }
    if (glance.number.endsWith('%')) told('glance', `${glance.caption} ${glance.number}`)
  }
  const since = looks.find((one) => one.shown.atMs > fromMs && headline.test(one.shown.headline.text))?.shown
    .atMs
  const isDue = since !== undefined && shown.atMs >= since + holdMs + ALERT_SLACK_MS
  if (isDue && !alerts.some(({ titles }) => titles.some((one) => alert.test(one)))) {
    told('alerts', alerts.flatMap(({ titles }) => titles).join(', ') || 'none')
  }
  if (incident !== undefined) {
    const open = shown.events.filter(({ isOpen, text }) => isOpen && incident.test(text))
    const lines = new Set(open.map(({ line }) => line)).size
    // With two unreachable hosts, each may have its own line.
    if (lines === 0 || lines > (kind === 'both' ? 2 : 1)) {
      told('incidents', open.map(({ text }) => text).join(', ') || 'none is open')
    }
  }
}

const textOf = (those: readonly { readonly label: string }[]) =>
  those.map(({ label }) => label).join(', ') || 'none'

function afterwards({ troubles, shown, glance, alerts }: Look, note: Note): void {
  const over = [...new Set(troubles.map(({ kind }) => kind))]
  const told = (what: string, is: string) =>
    note('trouble', `${what}: ${is}`, `all was mended over ${BACK_MS / 1000} s ago`)
  for (const kind of over) {
    const { headline, alert, incident } = EXPECTED[kind]
    if (headline.test(shown.headline.text)) told('headline', shown.headline.text)
    if (glance.lines.some((line) => headline.test(line))) told('glance', glance.lines.join(' '))
    for (const title of alerts.flatMap(({ titles }) => titles)) if (alert.test(title)) told('alert', title)
    const open = shown.events.find(({ isOpen, text }) => isOpen && incident?.test(text))
    if (open !== undefined) told('incident', open.text)
  }
}

/**
 * Checks that the headline, Glance and the key's line among all keys show the same. They may differ for a
 * moment.
 */
function inAgreement(looks: readonly Look[], look: Look, note: Note): void {
  const former = looks.at(-2)
  const { headline } = look.shown
  const { word, severity, keys } = look.glance
  const key = keys.find(({ name }) => name === 'Mine')
  if (key === undefined) return
  // Both values are from one page at one time, so they must never differ.
  if (key.severity !== severity) {
    note('unlike', `all keys: ${key.state}, ${key.severity}`, `glance: ${word}, ${severity}`)
  }
  const isSteady =
    former?.shown.headline.word === headline.word &&
    former.shown.headline.severity === headline.severity &&
    former.glance.word === word &&
    former.glance.severity === severity
  if (isSteady && (headline.word !== word || headline.severity !== severity)) {
    note('unlike', `headline: ${headline.word}, ${headline.severity}`, `glance: ${word}, ${severity}`)
  }
}
