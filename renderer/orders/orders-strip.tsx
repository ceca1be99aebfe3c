import { NO_ORDERS } from '../../app/contract/orders.ts'
import { ordersStatus, STOPPING_LEAVES } from '../../app/status/orders-status.ts'
import { capitalised } from '../../app/status/sentences.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Shape } from '../components/shape.tsx'
import { useCommand } from '../hooks/use-command.ts'
import programsSheet from '../programs/programs.module.css'
import { useParts, useSnapshot } from '../state/window-parts.ts'
import sheet from './orders.module.css'

const css = classesOf({ ...controlsSheet, ...programsSheet, ...sheet })

/** Whether orders of the displayed key may pass, and the button that stops them. Empty while they are off. */
export function OrdersStrip() {
  const orders = useSnapshot((snapshot) => snapshot.orders) ?? NO_ORDERS
  if (orders.state === 'off') return null
  const { text, severity } = ordersStatus(orders)
  return (
    <section className={css('strip')} aria-label="Orders">
      <div className={css('serving')} data-severity={severity}>
        <Shape severity={severity} />
        <b data-testid="orders-state">{capitalised(text)}.</b>
      </div>
      <p className={css('leaves')}>{STOPPING_LEAVES}</p>
      <div className={css('turn')}>
        <OrdersButton state={orders.state} />
      </div>
    </section>
  )
}

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
