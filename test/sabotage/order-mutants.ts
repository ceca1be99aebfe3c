import type { Mutant } from './registry.ts'

const RULES_TEST = 'main/orders/order-rules.test.ts'
const FAULTS_TEST = 'main/orders/order-faults.test.ts'
const KILL_TEST = 'main/orders/kill.process.test.ts'
const DISK_TEST = 'main/orders/order-disk.test.ts'
const JOURNAL_TEST = 'main/orders/journal.test.ts'
const ORDERS_TEST = 'main/orders/orders.test.ts'
const ONCE_TEST = 'main/network/sent-once.test.ts'
const LOOKUPS_TEST = 'main/orders/lookups.test.ts'
const RECOGNITION_TEST = 'app/orders/recognition.test.ts'
const AT_ONCE_TEST = 'app/gateway/at-once.test.ts'
const WIRE = 'main/network/node-wire.ts'
const CALL = 'main/orders/order-call.ts'
const SENDING = 'main/orders/order-sending.ts'
const ORDERS = 'main/orders/orders.ts'
const JOURNAL = 'main/orders/journal.ts'
const RECOGNITION = 'app/orders/recognition.ts'

/** Mutants of what passes as an order, how often it is sent, and what is known of it. */
export const ORDER_MUTANTS: readonly Mutant[] = [
  {
    promise: 'O1',
    what: 'send an order on a connection of any age',
    file: WIRE,
    find: 'if (idleMs > maxIdleMs) socket.destroy()',
    replace: 'if (idleMs > maxIdleMs + 3_600_000) socket.destroy()',
    test: ONCE_TEST,
  },
  {
    promise: 'O1',
    what: 'send an order before it is known whether it may go',
    file: WIRE,
    find: 'if (once === undefined) outgoing.end(request.body)',
    replace: 'outgoing.end(request.body)',
    test: ONCE_TEST,
  },
  {
    promise: 'O1',
    what: 'call an order that was cut not sent',
    file: WIRE,
    find: 'const mayHaveArrived = once === undefined ? established : () => hasGone',
    replace:
      "const mayHaveArrived = once === undefined ? established : () => hasGone && state === 'answered'",
    test: FAULTS_TEST,
  },
  {
    promise: 'O1',
    what: 'tell a program that a cut order may be sent again',
    file: SENDING,
    find: "how === 'not-sent' ? { kind: how }",
    replace: "how !== 'timeout' ? { kind: 'not-sent' }",
    test: FAULTS_TEST,
  },
  {
    promise: 'O1',
    what: 'say of any order that it has an OrderConfirmID',
    file: 'app/orders/order-facts.ts',
    find: 'hasConfirmId: orders.length > 0 && confirmIds.length === orders.length',
    replace: 'hasConfirmId: orders.length > 0 && confirmIds.length >= 0',
    test: 'app/orders/order-facts.test.ts',
  },
  {
    promise: 'O1',
    what: 'send an order of a program that has gone',
    file: CALL,
    find: 'if (reply.destroyed) return NOT_CONNECTED',
    replace: 'if (reply.destroyed && reply.writableEnded) return NOT_CONNECTED',
    test: RULES_TEST,
  },
  {
    promise: 'O2',
    what: 'let orders pass that were stopped while a connection was made',
    file: ORDERS,
    find: "if (orderSwitch.state(profile) !== 'on') return STOPPED",
    replace: "if (orderSwitch.state(profile) === 'off') return STOPPED",
    test: RULES_TEST,
  },
  {
    promise: 'O2',
    what: 'let every program send orders',
    file: ORDERS,
    find: 'if (this.#deps.switch.maxPerMinute(id) === undefined) return',
    replace: "if (this.#deps.switch.maxPerMinute(id) === undefined && method === 'PATCH') return",
    test: RULES_TEST,
  },
  {
    promise: 'O2',
    what: 'let estimates and lists pass after a stop',
    file: ORDERS,
    find: "return state === 'stopped' ? { kind: 'refused', problem: STOPPED }",
    replace: "return state === 'stopped' && path.kind !== 'read' ? { kind: 'refused', problem: STOPPED }",
    test: RULES_TEST,
  },
  {
    promise: 'O2',
    what: 'take an encoded order ID',
    file: 'app/orders/order-paths.ts',
    find: 'const ORDER_ID = /^orders\\/([A-Za-z0-9-]+)$/',
    replace: 'const ORDER_ID = /^orders\\/([A-Za-z0-9%-]+)$/',
    test: 'app/orders/order-paths.test.ts',
  },
  {
    promise: 'O2',
    what: 'refuse cancels over the limit of a minute',
    file: ORDERS,
    find: "const nextMs = order.kind === 'cancel' ? nowMs :",
    replace: "const nextMs = order.kind === 'replace' ? nowMs :",
    test: RULES_TEST,
  },
  {
    promise: 'O3',
    what: 'send an order that is not on the disk yet',
    file: 'main/orders/journal-file.ts',
    find: 'PRAGMA synchronous = FULL;',
    replace: 'PRAGMA synchronous = NORMAL;',
    test: JOURNAL_TEST,
  },
  {
    promise: 'O3',
    what: 'send an order that the journal did not take',
    file: CALL,
    find: 'if (!inserted.ok) return journalFailed(inserted.why)',
    replace: 'if (!inserted.ok) return undefined',
    test: RULES_TEST,
  },
  {
    promise: 'O3',
    what: 'forget the end of an order on a full disk',
    file: JOURNAL,
    find: '      this.#closeFile()\n      this.#failed(storageFailure(error), error)\n      return false',
    replace:
      '      this.#unwritten.clear()\n      this.#closeFile()\n      this.#failed(storageFailure(error), error)\n      return false',
    test: DISK_TEST,
  },
  {
    promise: 'O3',
    what: 'pass over an order that an earlier run had no answer to',
    file: ORDERS,
    find: "if (entry.outcome === 'sent')",
    replace: "if (entry.outcome === 'answered')",
    test: KILL_TEST,
  },
  {
    promise: 'O3',
    what: 'pass over the orders of an earlier run if the journal was locked at the start',
    file: ORDERS,
    find: 'changed: (why) => {\n        this.#takeFormer()',
    replace: 'changed: (why) => {\n        if (why !== undefined) this.#takeFormer()',
    test: ORDERS_TEST,
  },
  {
    promise: 'O3',
    what: 'show a dismissed outcome again after a restart',
    file: ORDERS,
    find: 'if (!entry.isDismissed) this.#unknown.set',
    replace: "if (entry.id !== '') this.#unknown.set",
    test: ORDERS_TEST,
  },
  {
    promise: 'O3',
    what: 'show no unknown outcome while orders are off',
    file: ORDERS,
    find: 'return { ...NO_ORDERS, unknown }',
    replace: 'return { ...NO_ORDERS, unknown: unknown.slice(0, 0) }',
    test: ORDERS_TEST,
  },
  {
    promise: 'O3',
    what: 'look up no order of an earlier run while orders are off',
    file: ORDERS,
    find: 'if (!this.isOff || (dataFolder !== undefined &&',
    replace: "if (!this.isOff || (dataFolder === '' &&",
    test: ORDERS_TEST,
  },
  {
    promise: 'O3',
    what: 'forget orders whose journal was removed',
    file: JOURNAL,
    find: 'if (this.#isOpenedAnew) for',
    replace: 'if (!this.#isOpenedAnew) for',
    test: JOURNAL_TEST,
  },
  {
    promise: 'O3',
    what: 'take a 500 for an answer about the order',
    file: SENDING,
    find: 'new Set([500, 502, 503, 504])',
    replace: 'new Set([502, 503, 504])',
    test: RULES_TEST,
  },
  {
    promise: 'O3',
    what: 'find an order that another one of the journal is',
    file: RECOGNITION,
    find: 'hashes.has(hash) && !known.has(orderId) &&',
    replace: 'hashes.has(hash) && !known.has(orderId + hash) &&',
    test: RECOGNITION_TEST,
  },
  {
    promise: 'O3',
    what: 'find one order for two that are looked up',
    file: RECOGNITION,
    find: '!others.some((other) => isRival(entry, other, hash))',
    replace: '!others.some((other) => isRival(other, entry, hash.slice(1)))',
    test: RECOGNITION_TEST,
  },
  {
    promise: 'O3',
    what: 'not find an order that another one replaced or cancelled',
    file: RECOGNITION,
    find: "others.filter((other) => other.kind === 'order' || other.kind === 'group')",
    replace: "others.filter((other) => other.kind !== 'group' || other.outcome !== 'sent')",
    test: RECOGNITION_TEST,
  },
  {
    promise: 'O3',
    what: 'not find an order although a listed one could be it',
    file: RECOGNITION,
    find: "return mayBeListed || found.length > 0 ? { kind: 'unclear' }",
    replace: "return mayBeListed && found.length > 0 ? { kind: 'unclear' }",
    test: RECOGNITION_TEST,
  },
  {
    promise: 'O3',
    what: 'not find an order whose hashes another key made',
    file: 'main/orders/lookups.ts',
    find: 'entry.hashes.every((hash) => hashes.isKnown(hash))',
    replace: "entry.hashes.every((hash) => hashes.isKnown(hash) || hash !== '')",
    test: LOOKUPS_TEST,
  },
  {
    promise: 'O3',
    what: 'not find an order of a former day of the service',
    file: 'main/orders/order-list.ts',
    find: 'const isFormer = isLast || nowMs',
    replace: 'const isFormer = nowMs',
    test: LOOKUPS_TEST,
  },
  {
    promise: 'O3',
    what: 'not find an order although a listed one can’t be read',
    file: 'main/orders/order-list.ts',
    find: 'isReadable: !orders.includes(undefined)',
    replace: 'isReadable: orders.length >= 0',
    test: LOOKUPS_TEST,
  },
  {
    promise: 'O3',
    what: 'take an order at another sign of its price for the lost one',
    file: 'app/orders/order-facts.ts',
    find: "return sign === '-' && size !== '0'",
    replace: "return sign === '-' && size === '0'",
    test: 'app/orders/order-facts.test.ts',
  },
  {
    promise: 'O3',
    what: 'take an answer about no order for its outcome',
    file: SENDING,
    find: 'status >= 300 || isAboutOrders(text)',
    replace: 'status >= 200 || isAboutOrders(text)',
    test: FAULTS_TEST,
  },
  {
    promise: 'O4',
    what: 'leave the reserve of a quota to others',
    file: 'app/gateway/scheduler.ts',
    find: 'if (bound.limit === undefined || bound.allows(1, now)) {',
    replace: 'if (bound.limit === undefined || bound.allows(2, now)) {',
    test: AT_ONCE_TEST,
  },
  {
    promise: 'O4',
    what: 'send orders one at a time until a header shows their quota',
    file: 'app/gateway/scheduler.ts',
    find: 'if (bound.limit === undefined || bound.allows(1, now)) {',
    replace: 'if (bound.allows(1, now)) {',
    test: AT_ONCE_TEST,
  },
  {
    promise: 'O3',
    what: 'look up the orders of a former key in the list of another one with its id',
    file: ORDERS,
    find: 'present !== undefined && keyMark !== present',
    replace: "present !== undefined && keyMark === ''",
    test: ORDERS_TEST,
  },
]
