import { AlertsButton } from '../alerts/alerts-button.tsx'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Icon } from '../components/icon.tsx'
import { useMirror, useParts, usePausedSince, useShown } from '../state/window-parts.ts'
import { MoreMenu } from './more-menu.tsx'
import { OwnUse } from './own-use.tsx'
import { ProfileMenu } from './profile-menu.tsx'
import sheet from './shell.module.css'
import { ThemeToggle } from './theme-toggle.tsx'

const css = classesOf({ ...controlsSheet, ...sheet })

export function Header() {
  const { view } = useParts()
  const hello = useMirror((mirror) => mirror.hello)
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
      <AlertsButton />
      <ThemeToggle />
      <MoreMenu />
      <PauseButton />
      <button type="button" className={css('button')} onClick={() => view.setState({ compact: true })}>
        Compact
      </button>
      <button
        type="button"
        className={css('button')}
        disabled={!isSignedIn}
        onClick={() => view.setState({ dialog: 'open-stream' })}
      >
        Open stream…
      </button>
    </header>
  )
}

function PauseButton() {
  const { togglePause } = useParts()
  const isPaused = usePausedSince() !== undefined
  return (
    <button
      type="button"
      className={css('button', 'with-icon')}
      title="Stops this window to be read. Headroom goes on."
      onClick={togglePause}
    >
      <Icon name={isPaused ? 'resume' : 'pause'} /> {isPaused ? 'Resume' : 'Pause'}
    </button>
  )
}
