import { NO_ORDERS } from '../../app/contract/orders.ts'
import { ordersStatus, STOPPING_LEAVES } from '../../app/status/orders-status.ts'
import { capitalised } from '../../app/status/sentences.ts'
import { classesOf } from '../components/classes.ts'
import dialogSheet from '../components/dialog.module.css'
import { useSnapshot } from '../state/window-parts.ts'
import sheet from './orders.module.css'
import { OrdersButton } from './orders-button.tsx'

const css = classesOf({ ...dialogSheet, ...sheet })

/** The switch for orders of the displayed key: one line while they are off. */
export function OrdersSettings() {
  const orders = useSnapshot((snapshot) => snapshot.orders) ?? NO_ORDERS
  const { state } = orders
  return (
    <>
      <h3>Orders</h3>
      <div className={css('line')}>
        <span data-testid="orders-setting">{capitalised(ordersStatus(orders).text)}.</span>
        <OrdersButton state={state} />
      </div>
      {state !== 'off' && <p className={css('hint')}>{STOPPING_LEAVES}</p>}
    </>
  )
}
