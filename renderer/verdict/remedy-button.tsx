import { type ConditionKind, type Remedy, remedyOf } from '../../app/conditions/kinds.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { useCommand } from '../hooks/use-command.ts'
import { useParts, useShown } from '../state/window-parts.ts'

const css = classesOf(controlsSheet)

const REMEDY_LABELS: Readonly<Record<Remedy, string>> = {
  connect: 'Connect again',
  'sign-in': 'Sign in',
  'correct-key': 'Correct the secret',
  'try-now': 'Try now',
  'save-now': 'Save now',
  'store-unprotected': 'Store anyway',
}

/** The button of what Headroom can do about a condition of the shown key; nothing where it can do nothing. */
export function RemedyButton({ kind }: { readonly kind: ConditionKind | undefined }) {
  const { api, view } = useParts()
  const run = useCommand()
  const profile = useShown((snapshot) => snapshot.profile.id)
  const remedy = kind && profile && remedyOf(kind, profile)
  if (!remedy || !profile) return null
  const act = () => {
    switch (remedy) {
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
    }
  }
  return (
    <button type="button" className={css('button', 'primary')} data-remedy={remedy} onClick={act}>
      {REMEDY_LABELS[remedy]}
    </button>
  )
}
