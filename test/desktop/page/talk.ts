/** What a test and the process under test say to each other, over Node's own channel between them. */

export type Report =
  | {
      readonly kind: 'window-opened'
      readonly id: number
      readonly options: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'window-shown' | 'window-focused' | 'window-closed'; readonly id: number }
  | { readonly kind: 'popup-denied' | 'second-instance' | 'page-ended' }
  /** Where another program can take part in driving the windows' Chromium. */
  | { readonly kind: 'chromium-started'; readonly endpoint: string }
  | { readonly kind: 'page-loaded'; readonly id: number; readonly count: number }
  | { readonly kind: 'navigation-prevented' | 'request-cancelled'; readonly url: string }
  | { readonly kind: 'violation'; readonly text: string }
  /** Something that only a person or the system would see. */
  | { readonly kind: 'called'; readonly what: string; readonly value: unknown }
  | { readonly kind: 'answered'; readonly id: number; readonly value?: unknown; readonly error?: string }

export type Order =
  /** The first four are answered. `window` is the id; without one, the youngest that is open. */
  | { readonly kind: 'evaluate'; readonly expression: string; readonly window?: number }
  | { readonly kind: 'invoke-from-frame'; readonly channel: string }
  | { readonly kind: 'ask-permission'; readonly permission: string; readonly url: string }
  | { readonly kind: 'count-timers'; readonly forMs: number }
  | { readonly kind: 'minimize-window' | 'close-window' | 'crash-page' | 'quit' }
  | { readonly kind: 'power'; readonly event: 'suspend' | 'resume' | 'lock-screen' | 'unlock-screen' }
  | { readonly kind: 'choose'; readonly label: string }
  | { readonly kind: 'defect'; readonly defect: 'exception' | 'rejection' }

export const report = (message: Report): void => void process.send?.(message)
export const called = (what: string, value?: unknown): void => report({ kind: 'called', what, value })
