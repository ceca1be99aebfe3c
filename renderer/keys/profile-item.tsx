import { DropdownMenu } from 'radix-ui'
import type { MirrorState } from '../mirror/mirror-state.ts'
import { ENVIRONMENT_WORDS } from '../shell/environment-words.ts'
import shellSheet from '../shell/shell.module.css'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { Shape } from '../theme/shape.tsx'
import { useMirror } from '../view/window-parts.ts'
import { type ProfileState, profileState } from '../words/profile-state.ts'
import sheet from './keys.module.css'

const css = classesOf({ ...controlsSheet, ...shellSheet, ...sheet })

function stateOf(mirror: MirrorState, id: string): ProfileState {
  const snapshot = mirror.snapshots.find(({ profile }) => profile.id === id)
  return snapshot ? profileState(snapshot) : { severity: 'unseen', words: '' }
}

/** One of several keys in the menu, with how it stands. */
export function ProfileItem({ id }: { readonly id: string }) {
  const profile = useMirror((mirror) => mirror.snapshots.find((one) => one.profile.id === id)?.profile)
  const severity = useMirror((mirror) => stateOf(mirror, id).severity)
  const words = useMirror((mirror) => stateOf(mirror, id).words)
  if (profile === undefined) return null
  return (
    <DropdownMenu.RadioItem value={id} className={css('item', 'profileItem')} data-profile={id}>
      <span className={css('check')}>
        <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
      </span>
      <Shape severity={severity} />
      <span>{profile.name}</span>
      <span className={css('muted')}>
        {ENVIRONMENT_WORDS[profile.environment]} · {words}
      </span>
    </DropdownMenu.RadioItem>
  )
}
