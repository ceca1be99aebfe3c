import { useEffect } from 'react'
import { keyStatus } from '../../app/conditions/key-status.ts'
import { mostUrgent, type Severity } from '../../app/contract/severity.ts'
import { type Moment, useMoment } from '../state/window-parts.ts'
import critical from './icon-critical.svg'
import ok from './icon-ok.svg'
import unknown from './icon-unknown.svg'
import warning from './icon-warning.svg'
import watch from './icon-watch.svg'

const ICONS: Readonly<Record<Severity, string>> = { ok, watch, warning, critical, unknown }

/**
 * The tab's title and icon, which show the state of the displayed key and the highest severity of all keys.
 */
export function Title() {
  const status = useMoment(({ mirror, snapshot, nowMs }) => {
    if (mirror.link.kind === 'lost') return 'Headroom stopped responding'
    return snapshot && `${keyStatus(snapshot, nowMs).name} · Headroom`
  })
  const severity = useMoment(worstOfAll)
  useEffect(() => {
    document.title = status ?? 'Headroom'
  }, [status])
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (icon !== null && severity !== undefined) icon.href = ICONS[severity]
  }, [severity])
  return null
}

function worstOfAll({ mirror, nowMs }: Moment): Severity | undefined {
  if (mirror.link.kind === 'lost') return 'unknown'
  return mostUrgent(mirror.snapshots.map((snapshot) => keyStatus(snapshot, nowMs)))?.severity
}
