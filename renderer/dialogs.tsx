import { useEffect, useRef } from 'react'
import { loadedLater } from './components/loaded-later.ts'
import type { Dialog } from './state/view-state.ts'
import { useParts, useSnapshot, useView } from './state/window-parts.ts'

// Each dialog is a separate chunk, so that the window shows its first numbers before the dialogs are loaded.
const DIALOGS = {
  connect: loadedLater(async () => (await import('./keys/connect-dialog.tsx')).ConnectDialog),
  alerts: loadedLater(async () => (await import('./alerts/alerts-dialog.tsx')).AlertsDialog),
  report: loadedLater(async () => (await import('./report/report-dialog.tsx')).ReportDialog),
  settings: loadedLater(async () => (await import('./settings/settings-dialog.tsx')).SettingsDialog),
  shortcuts: loadedLater(async () => (await import('./shell/shortcuts-dialog.tsx')).ShortcutsDialog),
  findings: loadedLater(async () => (await import('./verdict/findings-dialog.tsx')).FindingsDialog),
  palette: loadedLater(async () => (await import('./palette/palette-dialog.tsx')).PaletteDialog),
} as const

/** Dialogs whose buttons act on the displayed key. */
const DIALOGS_OF_KEY = {
  'open-stream': loadedLater(async () => (await import('./streams/open-stream-dialog.tsx')).OpenStreamDialog),
  revoke: loadedLater(async () => (await import('./keys/revoke-dialog.tsx')).RevokeDialog),
  'sign-in': loadedLater(async () => (await import('./keys/sign-in-dialog.tsx')).SignInDialog),
  disconnect: loadedLater(async () => (await import('./keys/disconnect-dialog.tsx')).DisconnectDialog),
  'allow-orders': loadedLater(
    async () => (await import('./orders/allow-orders-dialog.tsx')).AllowOrdersDialog,
  ),
  'create-desk': loadedLater(async () => (await import('./desk/desk-dialogs.tsx')).CreateDeskDialog),
  'join-desk': loadedLater(async () => (await import('./desk/desk-dialogs.tsx')).JoinDeskDialog),
  'invite-to-desk': loadedLater(async () => (await import('./desk/invite-dialog.tsx')).InviteDialog),
  'leave-desk': loadedLater(async () => (await import('./desk/leave-desk-dialogs.tsx')).LeaveDeskDialog),
  'replace-desk-secret': loadedLater(
    async () => (await import('./desk/leave-desk-dialogs.tsx')).ReplaceSecretDialog,
  ),
} as const

/** Mounts a dialog only while it is open, so that closing it discards its inputs. */
export function Dialogs() {
  const dialog = useView((view) => view.dialog)
  if (dialog === undefined) return null
  if (isOfKey(dialog)) return <DialogOfKey key={dialog} dialog={dialog} />
  const Opened = DIALOGS[dialog]
  return <Opened />
}

type KeyDialog = keyof typeof DIALOGS_OF_KEY

const isOfKey = (dialog: Dialog): dialog is KeyDialog => dialog in DIALOGS_OF_KEY

/**
 * Closes the dialog when another key is displayed, for example after this key was disconnected elsewhere.
 * Otherwise a click would act on the wrong key.
 */
function DialogOfKey({ dialog }: { readonly dialog: KeyDialog }) {
  const { view } = useParts()
  const profile = useSnapshot((snapshot) => snapshot.profile)
  const opened = useRef(profile?.id)
  useEffect(() => {
    if (profile?.id !== opened.current) view.setState({ dialog: undefined })
  }, [view, profile])
  const Opened = DIALOGS_OF_KEY[dialog]
  return profile && <Opened profile={profile} />
}
