/** Where a gateway is killed, in the order of an order's life. */
export const KILL_STEPS = ['connected', 'journalled', 'sent', 'answered', 'passed on', 'written'] as const

export type KillStep = (typeof KILL_STEPS)[number]
