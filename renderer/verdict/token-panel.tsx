import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { useParts, useShown } from '../state/window-parts.ts'
import { TokenLife } from './token-life.tsx'
import sheet from './verdict.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** The life of both tokens, with their revocation. */
export function TokenPanel() {
  const { view } = useParts()
  const hasGrant = useShown(({ refresh }) => refresh.state !== 'none' && refresh.state !== 'revoked') ?? false
  return (
    <div className={css('tokens')}>
      <TokenLife token="access" />
      <TokenLife token="refresh" />
      <button
        type="button"
        className={css('button', 'ghost')}
        disabled={!hasGrant}
        onClick={() => view.setState({ dialog: 'revoke' })}
      >
        Revoke tokens…
      </button>
    </div>
  )
}
