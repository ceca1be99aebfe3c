import type { Mutant } from './registry.ts'

/** Mutants of the two switches for orders, and of what a person is shown of them. */
export const ORDER_SWITCH_MUTANTS: readonly Mutant[] = [
  {
    promise: 'O2',
    what: 'allow orders of a LIVE key by any four characters',
    file: 'main/sign-in/order-switches.ts',
    find: ' && ending !== endingOf(known))',
    replace: ' && ending?.length !== endingOf(known).length)',
    test: 'main/sign-in/order-switches.test.ts',
  },
  {
    promise: 'O2',
    what: 'forget a stop at the next start',
    file: 'main/sign-in/profile-store.ts',
    find: 'return this.keepSettings({ ...stored, ...(orders !== undefined && { orders }) })',
    replace: "return this.keepSettings({ ...stored, ...(orders === 'on' && { orders }) })",
    test: 'main/sign-in/profile-store.test.ts',
  },
  {
    promise: 'O2',
    what: 'stop orders only once that is saved',
    file: 'main/monitor/monitor.ts',
    find: "    if (orders === 'stopped') this.#switch(session, profile)\n",
    replace: '',
    test: 'main/sign-in/order-switches.test.ts',
  },
  {
    promise: 'O2',
    what: 'open the switch by a sign-in that withheld the Trade scope',
    file: 'main/sign-in/sign-ins.ts',
    find: "if (task.trade === 'needed' && lacksTrade(exchange.scopes))",
    replace: "if (task.trade === 'needed' && lacksTrade([]))",
    test: 'main/sign-in/sign-ins.test.ts',
  },
  {
    promise: 'O2',
    what: 'keep Shift+O from stopping orders while a dialog is open',
    file: 'renderer/shell/use-shortcuts.ts',
    find: 'if (!stopsOrders(event, event.target)) return',
    replace: "if (!stopsOrders(event, event.target) || document.querySelector('[role=dialog]')) return",
    test: 'e2e/window/orders.spec.ts',
    grep: 'Shift+O stops orders',
  },
  {
    promise: 'O3',
    what: 'show an unknown outcome as a mere warning',
    file: 'app/conditions/kinds.ts',
    find: "isFound ? ('warning' as const) : ('critical' as const)",
    replace: "isFound ? ('ok' as const) : ('warning' as const)",
    test: 'app/conditions/pairs.test.ts',
  },
  {
    promise: 'O3',
    what: 'count an order that was found as known',
    file: 'main/metrics/metric-list.ts',
    find: ' ? undefined : orders.unknown.length,',
    replace: " ? undefined : orders.unknown.filter(({ state }) => state !== 'found').length,",
    test: 'main/metrics/metrics.test.ts',
  },
]
