import { NO_ORDERS } from '../../app/contract/orders.ts'
import { ordersStatus, STOPPING_LEAVES } from '../../app/status/orders-status.ts'
import { capitalised } from '../../app/status/sentences.ts'
import { classesOf } from '../components/classes.ts'
import { Button } from '../components/controls.tsx'
import { useCommand } from '../hooks/use-asked.ts'
import { useParts, useSnapshot } from '../state/window-parts.ts'
import sheet from './orders.module.css'

const css = classesOf(sheet)

/** The switch for orders of the displayed key. A single line while orders are off. */
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
      {state !== 'off' && <p className="hint">{STOPPING_LEAVES}</p>}
    </>
  )
}

export function OrdersButton({ state }: { readonly state: 'off' | 'on' | 'stopped' | 'failed' }) {
  const { api, view } = useParts()
  const run = useCommand()
  if (state === 'on' || state === 'failed')
    return (
      <Button look="red" title="Stops new orders on every key." onClick={() => run(() => api.stopOrders({}))}>
        Stop orders <kbd>⇧O</kbd>
      </Button>
    )
  return <Button onClick={() => view.setState({ dialog: 'allow-orders' })}>Allow orders…</Button>
}
