import { useEffect } from 'react'
import { CapacityTable } from '../capacity/capacity-table.tsx'
import { EventList } from '../events/event-list.tsx'
import { HistoryPanel } from '../history/history-panel.tsx'
import { ConnectDialog } from '../keys/connect-dialog.tsx'
import { DisconnectDialog } from '../keys/disconnect-dialog.tsx'
import { RevokeDialog } from '../keys/revoke-dialog.tsx'
import { SignInDialog } from '../keys/sign-in-dialog.tsx'
import { SlotMap } from '../slots/slot-map.tsx'
import { OpenStreamDialog } from '../streams/open-stream-dialog.tsx'
import { OwnStreams } from '../streams/own-streams.tsx'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { VerdictPanel } from '../verdict/verdict-panel.tsx'
import { useMirror, useParts, useShown, useView } from '../view/window-parts.ts'
import { spokenVerdict } from '../words/verdict-sentence.ts'
import { BannerArea, RefusalNotice } from './banner.tsx'
import { Header } from './header.tsx'
import sheet from './shell.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

export function HeadroomWindow() {
  const link = useMirror((mirror) => mirror.link.kind)
  const hasProfile = useMirror((mirror) => mirror.snapshots.length > 0)
  const isBehindDialog = useView((view) => view.dialog !== undefined)
  return (
    <div className={css('window')} data-link={link} inert={isBehindDialog}>
      <Header />
      <BannerArea />
      {hasProfile ? <Dashboard dimmed={link === 'lost'} /> : <Waiting link={link} />}
      <Dialogs />
      <RefusalNotice />
      <Title />
    </div>
  )
}

function Dashboard({ dimmed }: { readonly dimmed: boolean }) {
  return (
    <>
      <div className={css(dimmed && 'dimmed')}>
        <VerdictPanel />
      </div>
      <main className={css('main', dimmed && 'dimmed')}>
        <div className={css('left')}>
          <CapacityTable />
          <HistoryPanel />
        </div>
        <div className={css('panel')}>
          <SlotMap />
          <OwnStreams />
          <EventList />
        </div>
      </main>
    </>
  )
}

function Waiting({ link }: { readonly link: string }) {
  const { view } = useParts()
  const isAnswered = useMirror((mirror) => mirror.hello !== undefined)
  if (link === 'lost') return <main />
  if (link === 'no-session') {
    return (
      <main className={css('waiting')}>
        <p>The link looks like this:</p>
        <p className={css('example')}>headroom ready: {location.origin}/#code=…</p>
      </main>
    )
  }
  // Until main has answered once, nobody knows whether there is a key.
  if (link === 'connecting' || !isAnswered)
    return <main className={css('waiting')}>Connecting to Headroom…</main>
  return (
    <main className={css('waiting')}>
      <p>No key is connected.</p>
      <button
        type="button"
        className={css('button', 'primary')}
        onClick={() => view.setState({ dialog: 'connect' })}
      >
        Connect a key
      </button>
    </main>
  )
}

/** Each is made anew when it opens, so that nothing typed outlives it. */
function Dialogs() {
  const dialog = useView((view) => view.dialog)
  switch (dialog) {
    case undefined:
      return null
    case 'open-stream':
      return <OpenStreamDialog />
    case 'revoke':
      return <RevokeDialog />
    case 'connect':
      return <ConnectDialog />
    case 'sign-in':
      return <SignInDialog />
    case 'disconnect':
      return <DisconnectDialog />
  }
}

/** So that a tab in the background says what the window would. */
function Title() {
  const verdict = useShown((snapshot) =>
    snapshot.verdict.kind === 'unknown'
      ? 'Headroom'
      : `${spokenVerdict(snapshot).replace(/\.$/, '')} · Headroom`,
  )
  useEffect(() => {
    document.title = verdict ?? 'Headroom'
  }, [verdict])
  return null
}
