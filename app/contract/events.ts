import type { StreamProposal } from '../streams/slot-proposal.ts'
import type { SignInCause } from '../tokens/key-state.ts'

/** What matters one by one. Events are never merged or dropped on the way to a window. */
export type MonitorEvent =
  | { readonly kind: 'token-refreshed'; readonly rotated: boolean; readonly expiresAt: number }
  | {
      readonly kind: 'token-refresh-failed'
      readonly outcome: RefreshFailure
      /** In plain words. */
      readonly why?: string
      readonly retryAt?: number
    }
  | { readonly kind: 'sign-in-required'; readonly reason: string; readonly cause?: SignInCause }
  /** The 24 hours of a rotating key (service 8.4) end `at` this instant: told an hour ahead and a quarter of an hour ahead. */
  | { readonly kind: 'sign-in-due'; readonly endsAt: number }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'revoke-unconfirmed'; readonly reason: string; readonly retryAt?: number }
  | {
      readonly kind: 'service-unreachable'
      readonly host: string
      /** In plain words, as in "the certificate is not trusted". */
      readonly why?: string
      readonly retryAt?: number
    }
  | { readonly kind: 'service-back'; readonly host: string }
  | { readonly kind: 'storage-problem'; readonly what: string }
  /** A browser window was let in with a code; `open` counts those that were, this one included. */
  | { readonly kind: 'window-admitted'; readonly window: string; readonly open: number }
  | {
      readonly kind: 'rate-limited'
      readonly category: string
      readonly retryAt: number
      readonly requestId?: string
    }
  | {
      readonly kind: 'slots-exhausted'
      readonly category: string
      readonly requestId?: string
      /** The own stream that could be given up for it. */
      readonly proposal?: StreamProposal
    }
  | {
      readonly kind: 'stream-opened' | 'stream-restarted' | 'stream-closed'
      readonly stream: string
      readonly category: string
      readonly target: string
      readonly reason: string
    }
  /** Others began to use a quota. Told once; `elsewhere-ended` tells its end. */
  | { readonly kind: 'elsewhere'; readonly category: string; readonly perSecond: number }
  /** Others stopped. `perSecond`: their mean rate from `since`, epoch ms, until they did. */
  | {
      readonly kind: 'elsewhere-ended'
      readonly category: string
      readonly perSecond: number
      readonly since: number
    }

/** Outcome classes of a refresh that did not renew (ARCHITECTURE, the refresh protocol). */
export type RefreshFailure = 'refused' | 'misconfigured' | 'later' | 'not-sent' | 'malformed' | 'unknown'

/** An event as it is kept and pushed: `seq` grows by one per event of one running app. */
export type LoggedEvent = MonitorEvent & {
  readonly seq: number
  readonly at: number
  readonly profile: string
}
