import { loadedLater } from './components/loaded-later.ts'
import { useView } from './state/window-parts.ts'

// Each dialog is a separate chunk, so that the window shows its first numbers before the dialogs are loaded.
const ConnectDialog = loadedLater(async () => (await import('./keys/connect-dialog.tsx')).ConnectDialog)
const DisconnectDialog = loadedLater(
  async () => (await import('./keys/disconnect-dialog.tsx')).DisconnectDialog,
)
const SignInDialog = loadedLater(async () => (await import('./keys/sign-in-dialog.tsx')).SignInDialog)
const RevokeDialog = loadedLater(async () => (await import('./keys/revoke-dialog.tsx')).RevokeDialog)
const OpenStreamDialog = loadedLater(
  async () => (await import('./streams/open-stream-dialog.tsx')).OpenStreamDialog,
)
const AlertsDialog = loadedLater(async () => (await import('./alerts/alerts-dialog.tsx')).AlertsDialog)
const ReportDialog = loadedLater(async () => (await import('./report/report-dialog.tsx')).ReportDialog)
const SettingsDialog = loadedLater(
  async () => (await import('./settings/settings-dialog.tsx')).SettingsDialog,
)
const ShortcutsDialog = loadedLater(
  async () => (await import('./shell/shortcuts-dialog.tsx')).ShortcutsDialog,
)

const FindingsDialog = loadedLater(async () => (await import('./verdict/findings-dialog.tsx')).FindingsDialog)

const AllowOrdersDialog = loadedLater(
  async () => (await import('./orders/allow-orders-dialog.tsx')).AllowOrdersDialog,
)

const CreateDeskDialog = loadedLater(async () => (await import('./desk/desk-dialogs.tsx')).CreateDeskDialog)

const JoinDeskDialog = loadedLater(async () => (await import('./desk/desk-dialogs.tsx')).JoinDeskDialog)

const InviteDialog = loadedLater(async () => (await import('./desk/invite-dialog.tsx')).InviteDialog)

const LeaveDeskDialog = loadedLater(
  async () => (await import('./desk/leave-desk-dialogs.tsx')).LeaveDeskDialog,
)

const ReplaceSecretDialog = loadedLater(
  async () => (await import('./desk/leave-desk-dialogs.tsx')).ReplaceSecretDialog,
)

const PaletteDialog = loadedLater(async () => (await import('./palette/palette-dialog.tsx')).PaletteDialog)

/** Mounts a dialog only while it is open, so that its inputs are not stored. */
export function Dialogs() {
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
    case 'alerts':
      return <AlertsDialog />
    case 'report':
      return <ReportDialog />
    case 'settings':
      return <SettingsDialog />
    case 'shortcuts':
      return <ShortcutsDialog />
    case 'findings':
      return <FindingsDialog />
    case 'allow-orders':
      return <AllowOrdersDialog />
    case 'create-desk':
      return <CreateDeskDialog />
    case 'join-desk':
      return <JoinDeskDialog />
    case 'invite-to-desk':
      return <InviteDialog />
    case 'leave-desk':
      return <LeaveDeskDialog />
    case 'replace-desk-secret':
      return <ReplaceSecretDialog />
    case 'palette':
      return <PaletteDialog />
  }
}
