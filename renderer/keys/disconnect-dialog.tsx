import { AlertDialog } from 'radix-ui'
import { ENVIRONMENT_WORDS } from '../shell/environment-words.ts'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import dialogSheet from '../theme/dialog.module.css'
import { useAsked } from '../view/use-asked.ts'
import { useParts, useSnapshot } from '../view/window-parts.ts'

const css = classesOf({ ...controlsSheet, ...dialogSheet })

/** The other exit: forgets the key here and revokes nothing. */
export function DisconnectDialog() {
  const { api, view } = useParts()
  const asked = useAsked()
  const profile = useSnapshot((snapshot) => snapshot.profile)
  const close = () => view.setState({ dialog: undefined })
  const disconnect = async () => {
    if (profile === undefined) return
    if ((await asked.run(() => api.disconnect({ profile: profile.id }))) !== undefined) close()
  }
  if (profile === undefined) return null
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && close()}>
      <AlertDialog.Portal>
        <div className={css('backdrop')} />
        <AlertDialog.Content className={css('dialog')}>
          <AlertDialog.Title>Disconnect this key here?</AlertDialog.Title>
          <AlertDialog.Description>
            {profile.name} · {ENVIRONMENT_WORDS[profile.environment]}
          </AlertDialog.Description>
          <p>
            Headroom forgets the key and closes its streams. Nothing is revoked: its refresh token stays
            valid, here and in other programs.
          </p>
          {asked.refusal !== undefined && (
            <p className={css('refusal')} role="alert">
              {asked.refusal}
            </p>
          )}
          <div className={css('actions')}>
            <AlertDialog.Cancel className={css('button')}>Cancel</AlertDialog.Cancel>
            <button
              type="button"
              className={css('button', 'primary')}
              disabled={asked.waiting}
              onClick={disconnect}
            >
              Disconnect
            </button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
