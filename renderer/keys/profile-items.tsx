import { DropdownMenu } from 'radix-ui'
import { useShallow } from 'zustand/react/shallow'
import { keyStatus } from '../../app/conditions/key-status.ts'
import type { Severity } from '../../app/contract/severity.ts'
import { classesOf } from '../components/classes.ts'
import { Dropdown, MenuItem, MenuSeparator } from '../components/dropdown.tsx'
import type { OpenedMenu } from '../components/lazy-menu.tsx'
import menuSheet from '../components/menu.module.css'
import { Shape } from '../components/shape.tsx'
import { ENVIRONMENT_LABELS } from '../format/environment-labels.ts'
import type { MirrorState } from '../state/mirror-state.ts'
import { useMirror, useMomentValue, useParts, useSnapshot } from '../state/window-parts.ts'
import sheet from './keys.module.css'

const css = classesOf({ ...menuSheet, ...sheet })

export function OpenedProfileMenu({ button }: OpenedMenu) {
  const { view } = useParts()
  const shown = useSnapshot((snapshot) => snapshot.profile.id)
  const profiles = useMirror(useShallow((mirror) => mirror.snapshots.map(({ profile }) => profile.id)))
  return (
    <Dropdown button={button} align="start">
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
          <MenuSeparator />
        </>
      )}
      <MenuItem onSelect={() => view.setState({ dialog: 'connect' })}>Connect a key…</MenuItem>
      {shown !== undefined && (
        <>
          <MenuItem onSelect={() => view.setState({ dialog: 'sign-in' })}>Sign in again…</MenuItem>
          <MenuItem onSelect={() => view.setState({ dialog: 'disconnect' })}>Disconnect this key…</MenuItem>
        </>
      )}
    </Dropdown>
  )
}

interface KeyState {
  readonly severity: Severity
  readonly text: string
}

function stateOf(mirror: MirrorState, id: string, nowMs: number): KeyState {
  const snapshot = mirror.snapshots.find(({ profile }) => profile.id === id)
  if (snapshot === undefined) return { severity: 'unknown', text: '' }
  const status = keyStatus(snapshot, nowMs)
  return { severity: status.severity, text: status.name }
}

function ProfileItem({ id }: { readonly id: string }) {
  const profile = useMirror((mirror) => mirror.snapshots.find((one) => one.profile.id === id)?.profile)
  const { severity, text } = useMomentValue(({ mirror, nowMs }) => stateOf(mirror, id, nowMs))
  if (profile === undefined) return null
  return (
    <DropdownMenu.RadioItem value={id} className={css('item', 'profileItem')} data-profile={id}>
      <span className={css('check')}>
        <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
      </span>
      <Shape severity={severity} />
      <span>{profile.name}</span>
      <span className="muted">
        {ENVIRONMENT_LABELS[profile.environment]} · {text}
      </span>
    </DropdownMenu.RadioItem>
  )
}
