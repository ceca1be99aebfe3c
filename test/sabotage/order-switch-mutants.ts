import type { Mutant } from './registry.ts'

/**
 * Mutants of the switch with which a person allows and stops orders; those of the gateway are in
 * `order-mutants.ts`.
 */
export const ORDER_SWITCH_MUTANTS: readonly Mutant[] = [
  {
    promise: 'O2',
    what: 'allow orders of a LIVE key by any four characters',
    file: 'main/sign-in/order-switches.ts',
    find: ' && ending !== endingOf(known))',
    replace: ' && ending?.length !== endingOf(known).length)',
  },
  {
    promise: 'O2',
    what: 'give the id of a program that was cut to the next one',
    file: 'main/gateway/programs.ts',
    find: '    if (saved.ok) this.#usedIds.add(program.id)\n',
    replace: '',
    found: 'An order of a program that was cut passed, if another program was added meanwhile',
    tests: [
      'the id of a program that was cut is not reused in this run',
      [
        'main/orders/order-rules.test.ts',
        'an order of a program that was cut is never sent, even if another program was added meanwhile',
      ],
    ],
  },
  {
    promise: 'O2',
    what: 'allow orders of LIVE unconfirmed if its host ends with a dot',
    file: 'app/sign-in/provider-hosts.ts',
    find: ".replace(/\\.+$/, '')",
    replace: '',
    found: 'A LIVE host with a dot at its end needed no confirmation by the key’s last characters',
    tests: ['the host of %s is LIVE'],
  },
  {
    promise: 'O2',
    what: 'open the switch by a sign-in that waited when a person stopped orders',
    file: 'main/sign-in/order-switches.ts',
    find: '        if (opening.isStopped) return STOPPED_MEANWHILE\n',
    replace: '',
    found: 'A sign-in that waited while a person stopped orders allowed them again when it was done',
    tests: [
      'a stop ends a sign-in that waits to open the switch, which then opens nothing: %s',
      'a stop while a sign-in is starting ends it, and one of another key leaves it',
    ],
  },
  {
    promise: 'O2',
    what: 'leave the orders of a disconnected key’s programs to the next key',
    file: 'main/orders/monitored-orders.ts',
    find: 'noteWithdrawn(programs.withdrawOrders(profile))',
    replace: "noteWithdrawn(programs.withdrawOrders(profile && 'none'))",
    found: 'The orders of a disconnected key’s programs passed to another key that got its id',
    tests: ['a different key under the id of a disconnected one gets no orders of its programs'],
  },
  {
    promise: 'O2',
    what: 'start the minute of each program’s order limit anew at a restart',
    file: 'main/orders/orders.ts',
    find: '      this.#countFormer(entry)\n',
    replace: '      void this.#countFormer\n',
    test: 'main/orders/order-rules.test.ts',
    found: 'A restart, or a program added again, started the minute of --max-orders anew',
    tests: ['a restart, or the same name added again, starts no new minute'],
  },
  {
    promise: 'O2',
    what: 'forget a stop at the next start',
    file: 'main/sign-in/profile-store.ts',
    find: 'return this.keepSettings({ ...stored, ...(orders !== undefined && { orders }) })',
    replace: "return this.keepSettings({ ...stored, ...(orders === 'on' && { orders }) })",
  },
  {
    promise: 'O2',
    what: 'keep Shift+O from stopping orders while a dialog is open',
    file: 'renderer/orders/use-stop-orders.ts',
    find: 'if (!stopsOrders(event, event.target)) return',
    replace: "if (!stopsOrders(event, event.target) || document.querySelector('[role=dialog]')) return",
    test: 'e2e/window/orders.spec.ts',
    grep: 'Shift+O stops orders',
  },
  {
    promise: 'O2',
    what: 'leave the orders of a key’s programs to the key that replaced it while no Headroom ran',
    file: 'main/gateway/programs.ts',
    find: 'return one.ordersOf !== undefined && one.ordersOf !== mark',
    replace: "return one.ordersOf !== undefined && mark === ''",
    test: 'main/orders/monitored-orders.test.ts',
    found: 'Programs of a key that was forgotten or replaced while no Headroom ran could still send orders',
    tests: [
      'a key replaced while no Headroom ran leaves no orders',
      'a key forgotten while no Headroom ran leaves no orders',
    ],
  },
  {
    promise: 'O2',
    what: 'leave the orders of a key’s programs when it was forgotten while no Headroom ran',
    file: 'main/gateway/programs.ts',
    find: '!profiles.includes(one.profile) && isGone(one.profile)',
    replace: "!profiles.includes(one.profile) && isGone('')",
    test: 'main/orders/monitored-orders.test.ts',
    found: 'Programs of a key that was forgotten or replaced while no Headroom ran could still send orders',
  },
]
