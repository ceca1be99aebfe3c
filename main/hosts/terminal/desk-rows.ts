import type { Snapshot } from '../../../app/contract/snapshot.ts'
import {
  announcerText,
  deskMachines,
  dispatcherText,
  engineStatus,
  sharedText,
} from '../../../app/status/desk-status.ts'
import { left, right } from './cells.ts'
import type { FittedCell } from './fit.ts'

const NAME = 24
const RATE = 9

/** The desk's machines, server and duties as lines. Empty without a desk. */
export function deskRows(snapshot: Snapshot, width: number): readonly (readonly FittedCell[])[] {
  const { desk } = snapshot
  if (desk === undefined) return []
  const note = width - NAME - RATE - 2
  const { label, severity, facts } = engineStatus(desk, snapshot.at)
  const server = [`NATS ${label}`, ...facts, desk.engine.server, `${desk.dropped} dropped`].join(', ')
  const duties = [dispatcherText(desk), announcerText(desk)].filter(Boolean).join(', ')
  return [
    [left('DESK', NAME, 'dim'), right('/s', RATE, 'dim'), left(sharedText(desk), note, 'dim')],
    ...deskMachines(snapshot).map(({ name, isSelf, severity: how, rate, note: text }) => [
      left(name, NAME, how === 'ok' ? 'plain' : 'dim'),
      right(rate.replace('/s', ''), RATE),
      left(isSelf ? `this machine · ${text}` : text, note),
    ]),
    [left(server, width, severity === 'ok' ? 'plain' : 'warn')],
    ...(duties === '' ? [] : [[left(duties, width, 'dim')]]),
  ]
}
