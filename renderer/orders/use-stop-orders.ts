import { mayHaveOrders } from '../../app/contract/orders.ts'
import { useCommand } from '../hooks/use-asked.ts'
import { useKeyDown } from '../hooks/use-key-down.ts'
import { useParts } from '../state/window-parts.ts'

/** Stops the orders of every key on Shift+O, even if a dialog is open or shortcuts are off. */
export function useStopOrders(): void {
  const { api, mirror } = useParts()
  const run = useCommand()
  // First, because a menu or dialog could stop the event later.
  useKeyDown(
    (event) => {
      if (!stopsOrders(event, event.target)) return
      const { snapshots } = mirror.getState()
      if (!snapshots.some(mayHaveOrders)) return
      event.preventDefault()
      event.stopPropagation()
      run(() => api.stopOrders({}))
    },
    { isFirst: true },
  )
}

/**
 * Whether a key press stops orders: Shift+O, unless the person types in a field. The key is recognised by its
 * letter, or by its position on a keyboard without Latin letters.
 */
export function stopsOrders(
  { key, code, shiftKey, ctrlKey, metaKey, altKey }: Press,
  target: EventTarget | null,
): boolean {
  if (!shiftKey || ctrlKey || metaKey || altKey) return false
  const isO = /^[a-z]$/i.test(key) ? key.toLowerCase() === 'o' : code === 'KeyO'
  if (!isO || target === null) return isO
  return !(target instanceof Element && target.closest(TYPED_FIELDS) !== null)
}

const TYPED_FIELDS = `textarea, select, [contenteditable], input:not(${[
  'checkbox',
  'radio',
  'range',
  'button',
]
  .map((type) => `[type=${type}]`)
  .join(', ')})`

type Press = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>
