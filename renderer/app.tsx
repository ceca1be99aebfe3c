import { Activity, Suspense, useEffect } from 'react'
import { CapacityTable } from './capacity/capacity-table.tsx'
import { useFirstChoice } from './capacity/chosen-category.ts'
import { classesOf } from './components/classes.ts'
import { Button } from './components/controls.tsx'
import { loadedLater } from './components/loaded-later.ts'
import { EventList } from './events/event-list.tsx'
import { HistoryPanel } from './history/history-panel.tsx'
import { useFocusReturn } from './hooks/use-focus-return.ts'
import { useKeyDown } from './hooks/use-key-down.ts'
import { useMedia } from './hooks/use-media.ts'
import { BannerArea, RefusalNotice } from './shell/banner.tsx'
import { Header } from './shell/header.tsx'
import sheet from './shell/shell.module.css'
import { MAIN, SkipLinks } from './shell/skip-links.tsx'
import { Title } from './shell/title.tsx'
import { useShortcuts } from './shell/use-shortcuts.ts'
import { SlotMap } from './slots/slot-map.tsx'
import type { ViewState } from './state/view-state.ts'
import { useLook, useMirror, useParts, usePausedSince, useView } from './state/window-parts.ts'
import { OwnStreams } from './streams/own-streams.tsx'
import { RevokeButton, TokenPanel } from './verdict/token-panel.tsx'
import { NARROW, VerdictPanel } from './verdict/verdict-panel.tsx'

const css = classesOf(sheet)
// These pages are separate chunks, because most windows never show them.
const Glance = loadedLater(async () => (await import('./glance/glance.tsx')).Glance)
const ProgramsPage = loadedLater(async () => (await import('./programs/programs-page.tsx')).ProgramsPage)
const PlanPage = loadedLater(async () => (await import('./plan/plan-page.tsx')).PlanPage)
// Separate chunks, because at the start the window is not paused and no dialog is open.
const PausedBanner = loadedLater(async () => (await import('./shell/paused-banner.tsx')).PausedBanner)
const Dialogs = loadedLater(async () => (await import('./dialogs.tsx')).Dialogs)
const DASHBOARD = { page: 'dashboard' } as const
const CLOSED = { dialog: undefined } as const
/** Maximum time in milliseconds that a page or dialog waits for its code. A busy machine needs seconds. */
const LOADS_WITHIN_MS = 10_000

export function HeadroomWindow() {
  const link = useMirror((mirror) => mirror.link.kind)
  const hasProfile = useMirror((mirror) => mirror.snapshots.length > 0)
  const isBehindDialog = useView((view) => view.dialog !== undefined)
  const page = useView((view) => view.page)
  const isPaused = usePausedSince() !== undefined
  // The page reads the time zone here, so that changing the zone redraws all of it. Texts about past times do
  // not update on their own.
  const zone = useLook((look) => look.zone)
  useShortcuts()
  useFirstChoice()
  useFocusReturn(MAIN)
  const shown = hasProfile ? page : 'waiting'
  return (
    <>
      {shown === 'glance' && (
        <Suspense fallback={<LoadingPart wayBack={DASHBOARD} />}>
          <Glance key={zone} inert={isBehindDialog} />
        </Suspense>
      )}
      {/* The monitor stays mounted behind other pages. Otherwise switching pages would be slow. */}
      <Activity mode={shown === 'glance' ? 'hidden' : 'visible'}>
        <div className={css('window')} data-link={link} inert={isBehindDialog}>
          <SkipLinks />
          <Header />
          {isPaused && (
            <Suspense fallback={null}>
              <PausedBanner />
            </Suspense>
          )}
          <BannerArea />
          <Suspense fallback={<LoadingPart wayBack={DASHBOARD} />}>
            {shown === 'plan' && <PlanPage key={zone} />}
            {shown === 'programs' && <ProgramsPage key={zone} />}
          </Suspense>
          {hasProfile && (
            <Activity mode={shown === 'dashboard' ? 'visible' : 'hidden'}>
              <Dashboard
                key={zone}
                isShown={shown === 'dashboard'}
                dimmed={link === 'lost'}
                frozen={isPaused}
              />
            </Activity>
          )}
          {shown === 'waiting' && <Waiting link={link} />}
          <RefusalNotice />
          <Title />
        </div>
      </Activity>
      <Suspense fallback={<LoadingPart wayBack={CLOSED} />}>{isBehindDialog && <Dialogs />}</Suspense>
    </>
  )
}

/**
 * The fallback while the code of a page or dialog is loading. After `LOADS_WITHIN_MS` or on Escape, changes
 * the view to `wayBack`, because only the loaded page or dialog has controls to close it.
 */
function LoadingPart({ wayBack }: { readonly wayBack: Partial<ViewState> }) {
  const { clock, view } = useParts()
  useKeyDown(({ key }) => {
    if (key === 'Escape') view.setState(wayBack)
  })
  useEffect(() => clock.after(LOADS_WITHIN_MS, () => view.setState(wayBack)), [clock, view, wayBack])
  return null
}

interface DashboardProps {
  readonly isShown: boolean
  readonly dimmed: boolean
  readonly frozen: boolean
}

function Dashboard({ isShown, dimmed, frozen }: DashboardProps) {
  const isNarrow = useMedia(NARROW)
  const isMaximised = useView((view) => view.maximised)
  return (
    <>
      <div className={css('health', dimmed && 'dimmed', frozen && 'frozen')}>
        <VerdictPanel />
      </div>
      <main
        // Only the visible page has the skip link's id, because the link must not lead to a hidden page.
        id={isShown ? MAIN : undefined}
        tabIndex={-1}
        className={css('main', isMaximised && 'maximised', dimmed && 'dimmed', frozen && 'frozen')}
      >
        <div className="column">
          {!isMaximised && <CapacityTable />}
          {isNarrow && (
            <section className={css('tokens-alone', 'box')} aria-label="Tokens">
              <TokenPanel />
              <RevokeButton />
            </section>
          )}
          <HistoryPanel />
        </div>
        {!isMaximised && (
          <div className="panel">
            <SlotMap />
            <OwnStreams />
            <EventList />
          </div>
        )}
      </main>
    </>
  )
}

function Waiting({ link }: { readonly link: string }) {
  const { view } = useParts()
  const isAnswered = useMirror((mirror) => mirror.hello !== undefined)
  if (link === 'lost' || link === 'too-many-tabs') return <main />
  if (link === 'no-session') {
    return (
      <main className={css('waiting')}>
        <p>The link looks like this:</p>
        <p className={css('example')}>headroom ready: {location.origin}/#code=…</p>
      </main>
    )
  }
  // Before main's first response, it is unknown whether there is a key.
  if (link === 'connecting' || !isAnswered)
    return <main className={css('waiting')}>Connecting to Headroom…</main>
  return (
    <main className={css('waiting')}>
      <p>No key is connected.</p>
      <Button look="primary" onClick={() => view.setState({ dialog: 'connect' })}>
        Connect a key
      </Button>
    </main>
  )
}
