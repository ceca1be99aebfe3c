import { DropdownMenu } from 'radix-ui'
import { useShallow } from 'zustand/react/shallow'
import { Dropdown, MenuItem, MenuSeparator } from '../components/dropdown.tsx'
import type { OpenedMenu } from '../components/lazy-menu.tsx'
import { useMirror, useParts, useSnapshot } from '../state/window-parts.ts'
import { ProfileItem } from './profile-item.tsx'

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
