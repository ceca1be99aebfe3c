/** What a test and the process under test say to each other, over Node's own channel between them. */

export type Report =
  | { readonly kind: 'window-opened'; readonly options: Readonly<Record<string, unknown>> }
  | { readonly kind: 'window-shown' | 'window-focused' | 'popup-denied' | 'second-instance' }
  | { readonly kind: 'navigation-prevented' | 'request-cancelled'; readonly url: string }
  | { readonly kind: 'violation'; readonly text: string }
  | { readonly kind: 'evaluated'; readonly id: number; readonly value?: unknown; readonly error?: string }

export type Order =
  | { readonly kind: 'evaluate'; readonly id: number; readonly expression: string }
  | { readonly kind: 'minimize-window' | 'close-window' }

export const report = (message: Report): void => void process.send?.(message)
