import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { useMirror, useParts, useShown } from '../view/window-parts.ts'
import { countWords, shareWords } from '../words/rates.ts'
import { ProfileMenu } from './profile-menu.tsx'
import sheet from './shell.module.css'
import { ThemeToggle } from './theme-toggle.tsx'

const css = classesOf({ ...controlsSheet, ...sheet })

export function Header() {
  const { view } = useParts()
  const hello = useMirror((mirror) => mirror.hello)
  const hasGrant = useShown(({ refresh }) => refresh.state !== 'none' && refresh.state !== 'revoked') ?? false
  const isSignedIn = useShown(({ access }) => access.state !== 'none') ?? false
  const about = hello && [`Headroom ${hello.version}`, hello.hostReason].filter(Boolean).join(' · ')
  return (
    <header className={css('header')}>
      <span className={css('logo')} title={about}>
        <b aria-hidden="true">▮▮▯</b> Headroom
      </span>
      <ProfileMenu />
      <OwnUse />
      <span className={css('spacer')} />
      <ThemeToggle />
      <button
        type="button"
        className={css('button')}
        disabled={!isSignedIn}
        onClick={() => view.setState({ dialog: 'open-stream' })}
      >
        Open stream…
      </button>
      <button
        type="button"
        className={css('button', 'danger')}
        disabled={!hasGrant}
        onClick={() => view.setState({ dialog: 'revoke' })}
      >
        Revoke tokens…
      </button>
    </header>
  )
}

/** What this app itself costs the key. */
function OwnUse() {
  const streams = useShown((snapshot) => countWords(openStreams(snapshot.streams), 'own stream'))
  const probes = useShown(({ probes }) =>
    probes.enabled ? `${countWords(Math.round(probes.perMinute * 10) / 10, 'probe')}/min` : 'probes off',
  )
  const used = useShown((snapshot) => shareWords(snapshot.probes.usedFraction))
  if (streams === undefined) return null
  return (
    <span className={css('pill', 'own-use')} data-testid="own-use">
      {streams} · {probes} · this app used <strong>{used}</strong>
    </span>
  )
}

const openStreams = (streams: readonly { readonly state: string }[]) =>
  streams.filter((stream) => stream.state !== 'closed').length
