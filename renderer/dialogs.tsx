import { lazy, Suspense } from 'react'
import { useView } from './state/window-parts.ts'

// Each dialog is a separate chunk, so that the first numbers do not wait for it.
const ConnectDialog = lazy(async () => ({
  default: (await import('./keys/connect-dialog.tsx')).ConnectDialog,
}))
const DisconnectDialog = lazy(async () => ({
  default: (await import('./keys/disconnect-dialog.tsx')).DisconnectDialog,
}))
const SignInDialog = lazy(async () => ({
  default: (await import('./keys/sign-in-dialog.tsx')).SignInDialog,
}))
const RevokeDialog = lazy(async () => ({
  default: (await import('./keys/revoke-dialog.tsx')).RevokeDialog,
}))
const OpenStreamDialog = lazy(async () => ({
  default: (await import('./streams/open-stream-dialog.tsx')).OpenStreamDialog,
}))
const AlertsDialog = lazy(async () => ({
  default: (await import('./alerts/alerts-dialog.tsx')).AlertsDialog,
}))
const ReportDialog = lazy(async () => ({
  default: (await import('./report/report-dialog.tsx')).ReportDialog,
}))
const SettingsDialog = lazy(async () => ({
  default: (await import('./settings/settings-dialog.tsx')).SettingsDialog,
}))
const ShortcutsDialog = lazy(async () => ({
  default: (await import('./shell/shortcuts-dialog.tsx')).ShortcutsDialog,
}))

const FindingsDialog = lazy(async () => ({
  default: (await import('./verdict/findings-dialog.tsx')).FindingsDialog,
}))

const AllowOrdersDialog = lazy(async () => ({
  default: (await import('./orders/allow-orders-dialog.tsx')).AllowOrdersDialog,
}))

const CreateDeskDialog = lazy(async () => ({
  default: (await import('./desk/desk-dialogs.tsx')).CreateDeskDialog,
}))

const JoinDeskDialog = lazy(async () => ({
  default: (await import('./desk/desk-dialogs.tsx')).JoinDeskDialog,
}))

const InviteDialog = lazy(async () => ({
  default: (await import('./desk/invite-dialog.tsx')).InviteDialog,
}))

const LeaveDeskDialog = lazy(async () => ({
  default: (await import('./desk/leave-desk-dialogs.tsx')).LeaveDeskDialog,
}))

const ReplaceSecretDialog = lazy(async () => ({
  default: (await import('./desk/leave-desk-dialogs.tsx')).ReplaceSecretDialog,
}))

const PaletteDialog = lazy(async () => ({
  default: (await import('./palette/palette-dialog.tsx')).PaletteDialog,
}))

export function Dialogs() {
  return (
    <Suspense fallback={null}>
      <OpenDialog />
    </Suspense>
  )
}

/** Mounts a dialog only while it is open, so that its inputs are not stored. */
function OpenDialog() {
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
