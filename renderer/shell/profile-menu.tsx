import { keyStatus } from '../../app/conditions/key-status.ts'
import type { Environment } from '../../app/contract/snapshot.ts'
import { classesOf } from '../components/classes.ts'
import { LazyMenu, menuCode } from '../components/lazy-menu.tsx'
import { Shape } from '../components/shape.tsx'
import { ENVIRONMENT_LABELS } from '../format/environment-labels.ts'
import { useMirror, useShown, useSnapshot } from '../state/window-parts.ts'
import sheet from './header.module.css'

const css = classesOf(sheet)

const MENU = menuCode(async () => (await import('../keys/profile-items.tsx')).OpenedProfileMenu)

export function ProfileMenu() {
  const name = useShown((snapshot) => snapshot.profile.name)
  const environment = useSnapshot((snapshot) => snapshot.profile.environment)
  const none = useMirror(({ link, hello }) => {
    if (link.kind === 'connecting' || (link.kind === 'live' && hello === undefined)) return 'Connecting…'
    return link.kind === 'live' ? 'No key' : 'Not connected'
  })
  const label = environment && environmentLabel(environment, name ?? '')
  return (
    <LazyMenu menu={MENU} className={css('pill', 'profile')} testId="profile">
      {name === undefined ? (
        <strong className="cut">{none}</strong>
      ) : (
        <>
          <ProfileDot />
          <strong className="cut" title={name}>
            {name}
          </strong>{' '}
          {label !== undefined && <span>{label}</span>}
        </>
      )}
      <i className={css('chevron')} aria-hidden="true" />
    </LazyMenu>
  )
}

/**
 * The environment of a key, such as `LIVE`. `undefined` if the key's name already shows it, as in `Built-in
 * simulator`.
 */
function environmentLabel(environment: Environment, name: string): string | undefined {
  const label = ENVIRONMENT_LABELS[environment]
  return name.toUpperCase().split(/\s+/).includes(label) ? undefined : label
}

function ProfileDot() {
  const severity = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).severity) ?? 'unknown'
  const label = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).label)
  return <Shape severity={severity} label={label} />
}
