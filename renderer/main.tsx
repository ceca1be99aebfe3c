import './components/controls.css'
import './components/dialog.css'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import type { AlertSeverity } from '../app/contract/alerts.ts'
import { BrowserApi } from './api/browser-api.ts'
import { browserSession } from './api/browser-session.ts'
import type { Sounds } from './api/sounds.ts'
import { tabPlace } from './api/tab-place.ts'
import { alwaysLive } from './api/window-api.ts'
import { HeadroomWindow } from './app.tsx'
import { fetched, loadedLater } from './components/loaded-later.ts'
import { FailureBoundary } from './shell/failure-boundary.tsx'
import { Mirror } from './state/mirror.ts'
import { createPausable } from './state/pause.ts'
import { createTicker } from './state/ticker.ts'
import './theme/fonts.css'
import './theme/tokens.css'
import './theme/base.css'
import { browserClock as clock } from './api/window-clock.ts'
import { createLook, followZone } from './state/look.ts'
import { createView } from './state/view-state.ts'
import { WindowContext } from './state/window-parts.ts'

/** URL fragment of the strip, which is a frameless window above all others. */
const STRIP_HASH = '#strip'
// The strip is a separate chunk, because other windows never show it.
const Strip = loadedLater(async () => (await import('./strip/strip.tsx')).Strip)

const look = createLook({ storage: localStorage, root: document.documentElement })

// Only the desktop app has the strip. In a browser, the fragment contains the sign-in code.
const isStrip = window.headroom !== undefined && location.hash === STRIP_HASH
const { api, link } = connectHost()
const mirror = new Mirror({ api, link, clock })
const ticker = createTicker({
  clock,
  skewMs: () => mirror.store.getState().skew.ms,
  onSkew: (listener) =>
    mirror.store.subscribe((state, before) => {
      if (state.skew !== before.skew) listener()
    }),
  onSnapshot: (listener) =>
    mirror.store.subscribe((state, before) => {
      if (state.snapshots !== before.snapshots) listener()
    }),
})
const shown = createPausable(mirror.store, ticker)
mirror.start()
followZone({ api, link, look })
// Separate chunks, because most windows never announce an alert or play a sound.
const loadSounds = async () => new (await import('./api/sounds.ts')).Sounds(() => new AudioContext())
let sounds: Promise<Sounds> | undefined
async function playSound(severity: AlertSeverity): Promise<void> {
  sounds ??= fetched(loadSounds)
  const loaded = await sounds
  loaded.play(severity)
}
api.alertAnnounced(async (announcement) => {
  if (isStrip) return
  const { announce, browserNotifications } = await fetched(() => import('./alerts/announce.ts'))
  // The desktop shows the system's notifications itself.
  const show = window.headroom === undefined ? browserNotifications() : undefined
  announce(announcement, {
    look: () => look.getState(),
    play: (severity) => void playSound(severity),
    isAllowed: () => Notification.permission === 'granted',
    ...(show && { show }),
  })
})
const tellVisibility = () => mirror.visibilityChanged(document.visibilityState === 'visible')
document.addEventListener('visibilitychange', tellVisibility)
// A tab that opens in the background gets no `visibilitychange` event until it is shown.
if (document.visibilityState === 'hidden') tellVisibility()

const root = document.getElementById('window')
if (root === null) throw new Error('index.html has no #window')
createRoot(root).render(
  <StrictMode>
    <WindowContext
      value={{
        api,
        link,
        clock,
        mirror: shown.mirror,
        ticker: shown.ticker,
        live: { mirror: mirror.store, ticker },
        pause: shown.pause,
        togglePause: shown.toggle,
        view: createView(),
        look,
        playSound,
      }}
    >
      <FailureBoundary>
        <Suspense fallback={null}>{isStrip ? <Strip /> : <HeadroomWindow />}</Suspense>
      </FailureBoundary>
    </WindowContext>
  </StrictMode>,
)

/** The host's api and link. The api comes from the preload script on the desktop, over HTTP in a browser. */
function connectHost() {
  if (window.headroom !== undefined) return { api: window.headroom, link: alwaysLive }
  const session = browserSession({ location, history, storage: sessionStorage })
  const browser = new BrowserApi({
    fetch: (input, init) => fetch(input, init),
    session,
    place: tabPlace((navigator as Partial<Navigator>).locks),
    clock,
    random: Math.random,
  })
  // Opening a link with a new code in this tab changes only the fragment. The page is not loaded again.
  addEventListener('hashchange', () => browser.start())
  browser.start()
  return { api: browser.api, link: browser }
}
