import { Dialog } from 'radix-ui'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import dialogSheet from '../components/dialog.module.css'
import { useMirror } from '../state/window-parts.ts'
import sheet from './keys.module.css'
import type { SignInState } from './sign-in-state.ts'

const css = classesOf({ ...controlsSheet, ...dialogSheet, ...sheet })

interface SignInWaitingProps {
  readonly state: Extract<SignInState, { readonly kind: 'waiting' }>
  readonly onCancel: () => void
}

/** Shown during a sign-in by the browser. Its address contains no secret (app/sign-in/authorize-url.ts). */
export function SignInWaiting({ state, onCancel }: SignInWaitingProps) {
  const { url, opened, notice } = state
  const isInBrowser = useMirror((mirror) => mirror.hello?.host === 'browser')
  const host = new URL(url).host
  return (
    <>
      <Dialog.Title>Continue in your browser</Dialog.Title>
      <Dialog.Description>
        {opened
          ? `The sign-in page of ${host} is open there. This waits 5 minutes for you.`
          : `Sign in at ${host}, in a browser on this computer. This waits 5 minutes for you.`}
      </Dialog.Description>
      {!isInBrowser && !opened && (
        <input className={css('address')} readOnly value={url} aria-label="Address of the sign-in page" />
      )}
      <p className={css('hint')} role="status">
        {notice}
      </p>
      <div className={css('actions')}>
        <button type="button" className={css('button', 'ghost')} onClick={onCancel}>
          Cancel
        </button>
        {isInBrowser && (
          <a
            className={css('button', 'goLink', opened ? 'plain' : 'primary')}
            href={url}
            target="_blank"
            rel="noopener noreferrer"
          >
            {opened ? 'Open it again' : 'Open the sign-in page'}
          </a>
        )}
      </div>
    </>
  )
}
