import type { Snapshot } from '../../app/contract/snapshot.ts'
import { unbroken } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'
import { countText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { accessText, refreshText, type TokenText } from '../format/token-text.ts'
import { useParts, useShown, useShownValue } from '../state/window-parts.ts'
import sheet from './verdict.module.css'

const css = classesOf(sheet)

export function TokenPanel() {
  return (
    <div className={css('tokens')}>
      <TokenLife token="access" />
      <TokenLife token="refresh" />
    </div>
  )
}

/**
 * Opens the dialog that revokes the key's tokens. The button is small and apart from the headline, which
 * never offers revocation as a remedy.
 */
export function RevokeButton() {
  const { view } = useParts()
  const hasGrant = useShown(({ refresh }) => refresh.state !== 'none' && refresh.state !== 'revoked') ?? false
  return (
    <Button
      look={css('ghost', 'revoke')}
      disabled={!hasGrant}
      onClick={() => view.setState({ dialog: 'revoke' })}
    >
      Revoke tokens…
    </Button>
  )
}

type Token = 'access' | 'refresh'

const wordsOf = (token: Token, snapshot: Snapshot, nowMs: number): TokenText =>
  token === 'access' ? accessText(snapshot, nowMs) : refreshText(snapshot.refresh, nowMs)

const perMille = (share: number | undefined) => (share === undefined ? -1 : Math.round(share * 1000))

function TokenLife({ token }: { readonly token: Token }) {
  const words = useShownValue((snapshot, nowMs) => {
    const { left, mark, next, ...rest } = wordsOf(token, snapshot, nowMs)
    return { ...rest, next: unbroken(next), left: perMille(left), mark: perMille(mark) }
  })
  const { label, value, note, next, kept, severity = 'unknown', left = -1, mark = -1 } = words ?? {}
  const title = useShown((snapshot) => (token === 'refresh' ? rotationText(snapshot) : undefined))
  return (
    <div className={css('token')} data-token={token} data-severity={severity} title={title}>
      <div className={css('label')}>{label}</div>
      <div className={css('label', 'next')}>{next}</div>
      <div className={css('value')}>
        <strong>{value}</strong> <small>{note}</small>
      </div>
      {kept !== undefined && <div className={css('label', 'kept')}>{kept}</div>}
      <div className={css('life', 'track')} aria-hidden="true">
        {left >= 0 && <i style={{ width: `${left / 10}%` }} />}
        {mark >= 0 && <u style={{ left: `${mark / 10}%` }} />}
      </div>
    </div>
  )
}

function rotationText({ refresh }: Snapshot): string {
  const today = `refreshed ${countText(refresh.refreshesToday, 'time')} today`
  if (!refresh.rotating) return today
  const last = refresh.rotatedAt === undefined ? '' : ` · last rotated at ${clockText(refresh.rotatedAt)}`
  const next = refresh.rotatesBy === undefined ? '' : ` · rotates by ${clockText(refresh.rotatesBy)}`
  return `${today}${last}${next}`
}
