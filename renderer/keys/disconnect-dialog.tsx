import { Button } from '../components/controls.tsx'
import { QuestionFrame } from '../components/question-frame.tsx'
import { ENVIRONMENT_LABELS } from '../format/environment-labels.ts'
import { useAsked } from '../hooks/use-asked.ts'
import type { OfKey } from '../state/view-state.ts'
import { useParts } from '../state/window-parts.ts'

/** The dialog that disconnects a key. Headroom deletes the key but does not revoke it. */
export function DisconnectDialog({ profile }: OfKey) {
  const { api, view } = useParts()
  const asked = useAsked()
  const close = () => view.setState({ dialog: undefined })
  const disconnect = async () => {
    if ((await asked.run(() => api.disconnect({ profile: profile.id }))) !== undefined) close()
  }
  return (
    <QuestionFrame
      title="Disconnect this key?"
      about={`${profile.name} · ${ENVIRONMENT_LABELS[profile.environment]}`}
      refusal={asked.refusal}
      answer={
        <Button look="primary" disabled={asked.waiting} onClick={disconnect}>
          Disconnect
        </Button>
      }
    >
      <p>Headroom forgets the key and closes its streams. The refresh token stays valid in other programs.</p>
    </QuestionFrame>
  )
}
