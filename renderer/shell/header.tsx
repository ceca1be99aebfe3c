import { zonedClockText } from '../../app/status/moments.ts'
import { AlertsButton } from '../alerts/alerts-button.tsx'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Icon } from '../components/icon.tsx'
import { useMirror, useMoment, useParts, usePausedSince, useShown } from '../state/window-parts.ts'
import sheet from './header.module.css'
import { MoreMenu } from './more-menu.tsx'
import { OwnUse } from './own-use.tsx'
import { Pages } from './pages.tsx'
import { ProfileMenu } from './profile-menu.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

const css = classesOf({ ...controlsSheet, ...sheet })

const isMac = /Mac/.test(navigator.userAgent)

export function Header() {
  const { view } = useParts()
  const hello = useMirror((mirror) => mirror.hello)
  const isSignedIn = useShown(({ access }) => access.state !== 'none') ?? false
  const about = hello && [`Headroom ${hello.version}`, hello.hostReason].filter(Boolean).join(' · ')
  return (
    <header className={css('header')}>
      <span className={css('logo')} title={about}>
        <b aria-hidden="true">▮▮▯</b> <span className={css('logo-word')}>Headroom</span>
      </span>
      <ProfileMenu />
      <Pages />
      <span className={css('spacer')} />
      <OwnUse />
      <span className={css('row-break')} />
      <Clock />
      <AlertsButton />
      <button
        type="button"
        className={css('button', 'ghost', 'with-icon')}
        onClick={() => view.setState({ dialog: 'palette' })}
      >
        Search <kbd className={css('kbd')}>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <ThemeToggle />
      <MoreMenu />
      <PauseButton />
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

/** The current time, like every time of day in the window. */
function Clock() {
  const time = useMoment(({ snapshot, nowMs }) => snapshot && zonedClockText(nowMs))
  if (time === undefined) return null
  return (
    <time className={css('clock')} title="The zone is chosen in the settings" data-testid="clock">
      {time}
    </time>
  )
}

function PauseButton() {
  const { togglePause } = useParts()
  const isPaused = usePausedSince() !== undefined
  return (
    <button
      type="button"
      className={css('button', 'with-icon')}
      aria-label={isPaused ? 'Resume' : 'Pause'}
      title="Freezes the numbers so you can read them. Monitoring continues."
      onClick={togglePause}
    >
      <Icon name={isPaused ? 'resume' : 'pause'} />
      <span className={css('pause-word')}>{isPaused ? 'Resume' : 'Pause'}</span>
    </button>
  )
}
