/** How much something asks of the person. Each has a shape of its own, so that colour is never alone. */
export type Severity = 'ok' | 'watch' | 'critical' | 'unseen'
