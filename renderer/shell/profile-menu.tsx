import { DropdownMenu } from 'radix-ui'
import { useShallow } from 'zustand/react/shallow'
import { keyStatus } from '../../app/status/key-status.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Shape } from '../components/shape.tsx'
import { ProfileItem } from '../keys/profile-item.tsx'
import { useMirror, useParts, useShown, useSnapshot } from '../state/window-parts.ts'
import { ENVIRONMENT_LABELS } from './environment-labels.ts'
import sheet from './shell.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** The menu of keys: switch between keys, connect and disconnect. */
export function ProfileMenu() {
  const { view } = useParts()
  const name = useShown((snapshot) => snapshot.profile.name)
  const environment = useSnapshot((snapshot) => snapshot.profile.environment)
  const shown = useSnapshot((snapshot) => snapshot.profile.id)
  const profiles = useMirror(useShallow((mirror) => mirror.snapshots.map(({ profile }) => profile.id)))
  return (
    // A modal menu would insert a style element to lock the page's scrolling.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={css('pill', 'profile')} data-testid="profile">
        {name === undefined ? (
          <strong>No key</strong>
        ) : (
          <>
            <ProfileDot />
            <strong>{name}</strong> {environment && ENVIRONMENT_LABELS[environment]}
          </>
        )}
        <i className={css('chevron')} aria-hidden="true" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={css('menu')} align="start" sideOffset={6}>
          {profiles.length > 1 && (
            <>
              <DropdownMenu.RadioGroup
                value={shown ?? ''}
                onValueChange={(profile) => view.setState({ profile, category: undefined })}
              >
                {profiles.map((id) => (
                  <ProfileItem key={id} id={id} />
                ))}
              </DropdownMenu.RadioGroup>
              <DropdownMenu.Separator className={css('separator')} />
            </>
          )}
          <DropdownMenu.Item className={css('item')} onSelect={() => view.setState({ dialog: 'connect' })}>
            Connect a key…
          </DropdownMenu.Item>
          {shown !== undefined && (
            <>
              <DropdownMenu.Item
                className={css('item')}
                onSelect={() => view.setState({ dialog: 'sign-in' })}
              >
                Sign in again…
              </DropdownMenu.Item>
              <DropdownMenu.Item
                className={css('item')}
                onSelect={() => view.setState({ dialog: 'disconnect' })}
              >
                Disconnect this key…
              </DropdownMenu.Item>
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** The severity of the key, equal to that of its headline. */
function ProfileDot() {
  const severity = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).severity) ?? 'unseen'
  const label = useShown((snapshot, nowMs) => keyStatus(snapshot, nowMs).label)
  return <Shape severity={severity} label={label} />
}
