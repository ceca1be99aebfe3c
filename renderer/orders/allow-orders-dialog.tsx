import { Dialog } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { ENDING_LENGTH } from '../../app/contract/orders.ts'
import { isLive } from '../../app/sign-in/provider-hosts.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { Field, formText } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import keysSheet from '../keys/keys.module.css'
import { SignInNotice, SignInWaiting } from '../keys/sign-in-waiting.tsx'
import { useSignIn } from '../keys/use-sign-in.ts'
import type { OfKey } from '../state/view-state.ts'
import { useParts, useSnapshot } from '../state/window-parts.ts'

const css = classesOf(keysSheet)

/**
 * Allows the displayed key to place orders, after the person signs in again. For LIVE, the person must also
 * type the key's last characters.
 */
export function AllowOrdersDialog({ profile }: OfKey) {
  const { api, view } = useParts()
  const host = useSnapshot(({ service }) => service.host) ?? ''
  const [error, setError] = useState<string>()
  const close = () => view.setState({ dialog: undefined })
  const attempt = useSignIn(close)
  const { state } = attempt
  const needsEnding = isLive(profile.environment, host)
  const isAsking = state.kind === 'asking' || state.kind === 'done'
  const leave = () => {
    attempt.cancel()
    close()
  }
  const allow = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const ending = formText(new FormData(event.currentTarget), 'ending')
    const isTyped = !needsEnding || ending.length === ENDING_LENGTH
    setError(isTyped ? undefined : 'Type the key’s last four characters.')
    if (!isTyped) return
    attempt.ask(async () => {
      const outcome = await api.allowOrders({ profile: profile.id, ...(needsEnding && { ending }) })
      // Replaces the code `revoke-pending`. With that code, the form would offer to cancel the pending
      // revocation. Allowing orders must never cancel a revocation.
      if (!outcome.ok) return { ...outcome, code: 'not-allowed' }
      const { signIn } = outcome
      return signIn === undefined ? { ok: true, profile: profile.id } : { ok: true, ...signIn }
    })
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && leave()}>
      <Dialog.Portal>
        <div className="backdrop" />
        <Dialog.Content className="dialog">
          {state.kind === 'waiting' ? (
            <SignInWaiting state={state} onCancel={attempt.cancel} />
          ) : (
            <>
              <Dialog.Title>{`Allow orders on ${profile.name}`}</Dialog.Title>
              <Dialog.Description>
                This signs in again with the Trade scope. Only programs marked “May send orders” can send
                them.
              </Dialog.Description>
            </>
          )}
          <form onSubmit={allow} noValidate autoComplete="off" hidden={state.kind === 'waiting'}>
            {needsEnding && (
              <Field
                label="Type the key’s last four characters"
                name="ending"
                hint="Orders of a LIVE key reach real accounts."
                error={error}
              />
            )}
            <SignInNotice state={state} onAgree={attempt.cancel} />
            <div className="actions">
              <Button look="ghost" onClick={leave}>
                Cancel
              </Button>
              <Button type="submit" look="primary" disabled={isAsking}>
                {isAsking ? 'Opening…' : 'Allow orders'}
              </Button>
            </div>
            <Button look={css('ghost', 'corner')} aria-label="Close" onClick={leave}>
              <Icon name="close" />
            </Button>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
