import { useEffect } from 'react'
import { keyStatus, shortText } from '../../app/status/key-status.ts'
import { useMoment } from '../view/window-parts.ts'

/** So that a tab in the background says what the window would. */
export function Title() {
  const status = useMoment(({ mirror, snapshot, nowMs }) => {
    if (mirror.link.kind === 'lost') return 'Headroom stopped answering'
    return snapshot && `${shortText(keyStatus(snapshot, nowMs))} · Headroom`
  })
  useEffect(() => {
    document.title = status ?? 'Headroom'
  }, [status])
  return null
}
