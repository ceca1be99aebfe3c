import type { Remedy } from '../../app/conditions/remedies.ts'
import { Button } from '../components/button.tsx'
import { useCommand } from '../hooks/use-command.ts'
import { shownSnapshot, useParts, useShown } from '../state/window-parts.ts'
import { UNDO_SECONDS } from '../streams/stream-row.tsx'

/** The button for a remedy of the displayed key. Renders nothing without a remedy. */
export function RemedyButton({ remedy }: { readonly remedy: Remedy | undefined }) {
  const { api, view, mirror } = useParts()
  const run = useCommand()
  const profile = useShown((snapshot) => snapshot.profile.id)
  if (!remedy || !profile) return null
  const { kind, label, target = '' } = remedy
  const dismissOrders = () => {
    const { unknown = [] } = shownSnapshot(mirror.getState(), view.getState())?.orders ?? {}
    for (const { id } of unknown) run(() => api.dismissOrder({ id }))
  }
  const act = () => {
    switch (kind) {
      case 'connect':
        view.setState({ dialog: 'connect' })
        return
      case 'sign-in':
      case 'correct-key':
        view.setState({ dialog: 'sign-in' })
        return
      case 'try-now':
      case 'save-now':
        run(() => api.tryNow({ profile }))
        return
      case 'store-unprotected':
        run(() => api.allowUnprotected())
        return
      case 'unlock':
        run(() => api.unlockKeys())
        return
      case 'free-space':
        run(() => api.showDataFolder())
        return
      case 'reopen-streams': {
        const { streams = [] } = shownSnapshot(mirror.getState(), view.getState()) ?? {}
        for (const { id, state } of streams)
          if (state !== 'closed') run(() => api.restartStream({ profile, stream: id }))
        return
      }
      case 'replace-stream':
        run(() => api.closeStream({ profile, stream: target, inSeconds: UNDO_SECONDS }))
        return
      case 'pause-program':
        run(() => api.pauseProgram({ name: target }))
        return
      case 'dismiss-orders':
        dismissOrders()
        return
      case 'allow-orders':
        view.setState({ dialog: 'allow-orders' })
    }
  }
  return (
    <Button look="primary" data-remedy={kind} onClick={act}>
      {label}
    </Button>
  )
}
