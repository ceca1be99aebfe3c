import type { Remedy } from '../../app/conditions/remedies.ts'
import { Button } from '../components/controls.tsx'
import { useCommand } from '../hooks/use-asked.ts'
import type { Dialog } from '../state/view-state.ts'
import { shownSnapshot, useParts, useShown } from '../state/window-parts.ts'
import { UNDO_SECONDS } from '../streams/stream-row.tsx'

export function RemedyButton({ remedy }: { readonly remedy: Remedy | undefined }) {
  const { api, view, mirror } = useParts()
  const run = useCommand()
  const profile = useShown((snapshot) => snapshot.profile.id)
  if (!remedy || !profile) return null
  const { kind, label, target = '' } = remedy
  const open = (dialog: Dialog) => () => view.setState({ dialog })
  const snapshot = () => shownSnapshot(mirror.getState(), view.getState())
  const tryNow = () => run(() => api.tryNow({ profile }))
  const act: Readonly<Record<Remedy['kind'], () => void>> = {
    connect: open('connect'),
    'sign-in': open('sign-in'),
    'correct-key': open('sign-in'),
    'try-now': tryNow,
    'save-now': tryNow,
    'store-unprotected': () => run(() => api.allowUnprotected()),
    unlock: () => run(() => api.unlockKeys()),
    'free-space': () => run(() => api.showDataFolder()),
    'reopen-streams': () => {
      for (const { id, state } of snapshot()?.streams ?? [])
        if (state !== 'closed') run(() => api.restartStream({ profile, stream: id }))
    },
    'replace-stream': () => run(() => api.closeStream({ profile, stream: target, inSeconds: UNDO_SECONDS })),
    'pause-program': () => run(() => api.pauseProgram({ name: target })),
    'dismiss-orders': () => {
      for (const { id } of snapshot()?.orders?.unknown ?? []) run(() => api.dismissOrder({ id }))
    },
    'allow-orders': open('allow-orders'),
  }
  return (
    <Button look="primary" data-remedy={kind} onClick={act[kind]}>
      {label}
    </Button>
  )
}
