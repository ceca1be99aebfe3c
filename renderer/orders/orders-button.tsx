import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { useCommand } from '../hooks/use-command.ts'
import { useParts } from '../state/window-parts.ts'

const css = classesOf(controlsSheet)

/** Stops the orders of every key, or opens the dialog that allows them on this one. */
export function OrdersButton({ state }: { readonly state: 'off' | 'on' | 'stopped' | 'failed' }) {
  const { api, view } = useParts()
  const run = useCommand()
  if (state === 'on' || state === 'failed')
    return (
      <button
        type="button"
        className={css('button', 'red')}
        title="Refuses new orders of every key."
        onClick={() => run(() => api.stopOrders({}))}
      >
        Stop orders <kbd>⇧O</kbd>
      </button>
    )
  return (
    <button type="button" className={css('button')} onClick={() => view.setState({ dialog: 'allow-orders' })}>
      Allow orders…
    </button>
  )
}
