import { zonedClockText } from '../../app/status/moments.ts'
import { AlertsButton } from '../alerts/alerts-button.tsx'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Icon } from '../components/icon.tsx'
import { LazyMenu, menuCode } from '../components/lazy-menu.tsx'
import type { Page } from '../state/view-state.ts'
import {
  useLook,
  useMirror,
  useMoment,
  useParts,
  usePausedSince,
  useShown,
  useSnapshot,
  useView,
} from '../state/window-parts.ts'
import { nextTheme, THEME_LABELS } from '../theme/theme.ts'
import sheet from './header.module.css'
import { OwnUse } from './own-use.tsx'
import { ProfileMenu } from './profile-menu.tsx'

const css = classesOf(sheet)

const MENU = menuCode(async () => (await import('./more-items.tsx')).OpenedMoreMenu)

const isMac = /Mac/.test(navigator.userAgent)

export function Header() {
  const { view } = useParts()
  const hello = useMirror((mirror) => mirror.hello)
  const isSignedIn = useShown(({ access }) => access.state !== 'none') ?? false
  const about = hello && [`Headroom ${hello.version}`, hello.hostReason].filter(Boolean).join(' · ')
  return (
    <header className={css('header')}>
      <span className={css('logo')} title={about}>
        <svg className={css('bars')} viewBox="0 0 18 12" aria-hidden="true">
          <path d="M0 0h5v12H0zM6.5 0h5v12h-5z" />
          <path d="M13.5 0.5h4v11h-4z" fill="none" stroke="currentColor" />
        </svg>{' '}
        <span className={css('logo-word')}>Headroom</span>
      </span>
      <ProfileMenu />
      <Pages />
      <span className={css('spacer')} />
      <OwnUse />
      <span className={css('row-break')} />
      <Clock />
      <AlertsButton />
      <Button look={css('ghost', 'with-icon')} onClick={() => view.setState({ dialog: 'palette' })}>
        Search <kbd className={css('kbd')}>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </Button>
      <ThemeToggle />
      <LazyMenu menu={MENU} className={css('button', 'ghost', 'icon')} label="More">
        <Icon name="more" />
      </LazyMenu>
      <PauseButton />
      <Button disabled={!isSignedIn} onClick={() => view.setState({ dialog: 'open-stream' })}>
        Open stream…
      </Button>
    </header>
  )
}

/** The current time, in the zone that the window uses for all times. */
function Clock() {
  const time = useMoment(({ snapshot, nowMs }) => snapshot && zonedClockText(nowMs))
  if (time === undefined) return null
  return (
    <time className={css('clock')} title="Choose the time zone in the settings" data-testid="clock">
      {time}
    </time>
  )
}

function ThemeToggle() {
  const { look } = useParts()
  const theme = useLook((one) => one.theme)
  const words = `Theme: ${THEME_LABELS[theme]}`
  return (
    <Button
      look={css('ghost', 'icon', 'theme-button')}
      aria-label={words}
      title={words}
      onClick={() => look.setState({ theme: nextTheme(theme) })}
    >
      <i className={css('theme', `theme-${theme}`)} aria-hidden="true" />
    </Button>
  )
}

function PauseButton() {
  const { togglePause } = useParts()
  const isPaused = usePausedSince() !== undefined
  return (
    <Button
      look="with-icon"
      aria-label={isPaused ? 'Resume' : 'Pause'}
      title="Freezes the numbers so you can read them. Monitoring continues."
      onClick={togglePause}
    >
      <Icon name={isPaused ? 'resume' : 'pause'} />
      <span className={css('pause-word')}>{isPaused ? 'Resume' : 'Pause'}</span>
    </Button>
  )
}

const PAGES: readonly (readonly [Page, string])[] = [
  ['dashboard', 'Monitor'],
  ['programs', 'Programs'],
  ['plan', 'Plan'],
  ['glance', 'Glance'],
]

/** The links to the pages, visible if the header has room. The menu "More" has them too. */
function Pages() {
  const { view } = useParts()
  const shown = useView((state) => state.page)
  const programs = useSnapshot((snapshot) => snapshot.programs?.length ?? 0) ?? 0
  return (
    <nav className={css('pages')} aria-label="Pages">
      {PAGES.map(([page, name]) => (
        <button
          key={page}
          type="button"
          className={css('page', page !== 'glance' && 'with-room')}
          aria-current={page === shown ? 'page' : undefined}
          onClick={() => view.setState({ page })}
        >
          {page === 'programs' ? `${name} ` : name}
          {page === 'programs' && programs > 0 && <b>{programs}</b>}
        </button>
      ))}
    </nav>
  )
}
