import type { EventEmitter } from 'node:events'
import type { PageWindow } from '../double/page-window.ts'
import { type Order, report } from './talk.ts'
import { countTimers, timersDue } from './timer-count.ts'

/** What the double does for a test in place of a person or the system. */
export interface Hands {
  readonly windows: readonly PageWindow[]
  readonly powerMonitor: EventEmitter
  quit(): void
  /** Causes an uncaught exception or rejection in the app's own process. */
  defect(kind: 'exception' | 'rejection'): void
  exit(): void
  /** Clicks on an item of the tray's menu. */
  choose(label: string): void
}

export function takeOrders(hands: Hands): void {
  countTimers()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => hands.quit())
  process.on('disconnect', () => hands.exit())
  process.on('message', ({ id, ...order }: Order & { readonly id: number }) => {
    obey(order, hands).then(
      (value) => report({ kind: 'answered', id, value }),
      (error: unknown) => report({ kind: 'answered', id, error: String(error) }),
    )
  })
}

async function obey(order: Order, { windows, powerMonitor, ...hands }: Hands): Promise<unknown> {
  const window = windows.findLast((each) => !each.isDestroyed())
  const contents = window?.webContents
  switch (order.kind) {
    case 'evaluate': {
      const { page } = (windows[(order.window ?? 0) - 1] ?? window)?.webContents ?? {}
      return page?.evaluate(order.expression)
    }
    case 'count-timers':
      return timersDue(order.forMs)
    case 'close-window':
      return window?.close()
    case 'crash-page':
      return contents?.world?.crash()
    case 'defect':
      return hands.defect(order.defect)
    case 'power':
      return powerMonitor.emit(order.event)
    case 'choose':
      return hands.choose(order.label)
  }
}
