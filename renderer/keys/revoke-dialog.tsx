import { useEffect, useState } from 'react'
import { untilText } from '../../app/status/durations.ts'
import { Button } from '../components/controls.tsx'
import { Consequence, QuestionFrame } from '../components/question-frame.tsx'
import { ENVIRONMENT_LABELS } from '../format/environment-labels.ts'
import { useAsked } from '../hooks/use-asked.ts'
import type { OfKey } from '../state/view-state.ts'
import { useParts, useShown } from '../state/window-parts.ts'

/** Outcomes that a banner shows after the dialog has closed. */
const BANNER_CODES: readonly string[] = ['revoke-unconfirmed', 'revoke-refused']

export function RevokeDialog({ profile }: OfKey) {
  const { api, view } = useParts()
  const asked = useAsked()
  const streams =
    useShown((snapshot) => snapshot.streams.filter(({ state }) => state !== 'closed').length) ?? 0
  const close = () => view.setState({ dialog: undefined })
  const [isAgreed, setAgreed] = useState(false)
  const isShown =
    useShown(({ refresh }) => refresh.state === 'revoke-unconfirmed' || refresh.state === 'revoked') ?? false
  // After the person has agreed, the dialog closes as soon as the banner shows the outcome. Main may still be
  // waiting for the service then.
  useEffect(() => {
    if (isAgreed && isShown) view.setState({ dialog: undefined })
  }, [isAgreed, isShown, view])
  const revoke = async () => {
    setAgreed(true)
    const settled = await asked.run(async () => {
      const outcome = await api.revoke({ profile: profile.id })
      // The banner shows the outcome and offers a retry.
      return outcome.ok || BANNER_CODES.includes(outcome.code) ? { ok: true } : outcome
    })
    if (settled !== undefined) close()
  }
  const ending = profile.keyEnding === undefined ? '' : ` · key ends in …${profile.keyEnding}`
  return (
    <QuestionFrame
      title="Revoke every refresh token of this key?"
      about={`${profile.name} · ${ENVIRONMENT_LABELS[profile.environment]}${ending}`}
      refusal={asked.refusal}
      answer={
        <Button look="red" disabled={asked.waiting} onClick={revoke}>
          {asked.waiting ? 'Revoking…' : 'Revoke all tokens'}
        </Button>
      }
    >
      <ul className="list">
        <Consequence severity="critical">
          Every program with this key must sign in again, not only Headroom.
        </Consequence>
        {streams > 0 && (
          <Consequence severity="critical">
            {streams === 1
              ? '1 open stream of this key closes.'
              : `${streams} open streams of this key close.`}
          </Consequence>
        )}
        <Consequence severity="warning">
          <AccessLivesOn />
        </Consequence>
        <Consequence severity="ok">Open orders stay as they are.</Consequence>
      </ul>
      <p>
        To remove the key from this computer only, use{' '}
        <button type="button" className="link" onClick={() => view.setState({ dialog: 'disconnect' })}>
          Disconnect
        </button>
        .
      </p>
    </QuestionFrame>
  )
}

/**
 * A note that access tokens stay valid until they expire. A revocation affects only refresh tokens (service
 * 4.2).
 */
function AccessLivesOn() {
  const left = useShown(({ access }, nowMs) =>
    access.expiresAt !== undefined && access.expiresAt > nowMs
      ? untilText(access.expiresAt, nowMs)
      : undefined,
  )
  return (
    <>
      Access tokens already issued keep working,{' '}
      {left === undefined ? (
        'for up to 20 minutes'
      ) : (
        <>
          this one for <span className="whole">{left}</span>
        </>
      )}
      .
    </>
  )
}
