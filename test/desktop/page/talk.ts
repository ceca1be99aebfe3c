/** Messages between a test and the process under test, over Node's IPC channel. */

export type Report =
  | {
      readonly kind: 'window-opened'
      readonly id: number
      readonly options: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'window-shown' | 'window-closed'; readonly id: number }
  | { readonly kind: 'second-instance' | 'page-ended' }
  | { readonly kind: 'page-loaded'; readonly id: number; readonly count: number }
  /** Something that only a person or the system would see. */
  | { readonly kind: 'called'; readonly what: string; readonly value: unknown }
  | { readonly kind: 'answered'; readonly id: number; readonly value?: unknown; readonly error?: string }

export type Order =
  /**
   * The first two return an answer. `window` is the id of a window. Without it, the one that was opened last
   * is used.
   */
  | { readonly kind: 'evaluate'; readonly expression: string; readonly window?: number }
  | { readonly kind: 'count-timers'; readonly forMs: number }
  | { readonly kind: 'close-window' | 'crash-page' }
  | { readonly kind: 'power'; readonly event: 'suspend' | 'resume' }
  | { readonly kind: 'choose'; readonly label: string }
  | { readonly kind: 'defect'; readonly defect: 'exception' | 'rejection' }

export const report = (message: Report): void => void process.send?.(message)
export const called = (what: string, value?: unknown): void => report({ kind: 'called', what, value })
