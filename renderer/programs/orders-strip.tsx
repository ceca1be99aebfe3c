import { NO_ORDERS } from '../../app/contract/orders.ts'
import { ordersStatus, STOPPING_LEAVES } from '../../app/status/orders-status.ts'
import { capitalised } from '../../app/status/sentences.ts'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import ordersSheet from '../orders/orders.module.css'
import { OrdersButton } from '../orders/orders-switch.tsx'
import { useSnapshot } from '../state/window-parts.ts'
import sheet from './programs.module.css'

const css = classesOf({ ...sheet, ...ordersSheet })

/**
 * Whether orders of the displayed key are allowed, and a button that stops them. Empty while orders are off.
 */
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
