/** A sign-in that waits for a person in a browser. */
export interface StartedSignIn {
  readonly signIn: string
  /** Where the person signs in. It holds no secret: state and challenge only. */
  readonly url: string
  /** Whether a browser was opened there; otherwise the window shows it as a link. */
  readonly opened: boolean
  /** Epoch ms. */
  readonly endsAt: number
}

/** What becomes of it, told to every window. */
export type SignInStatus =
  | {
      readonly state: 'waiting'
      readonly signIn: string
      readonly endsAt: number
      /** What happened meanwhile that did not end it. */
      readonly notice?: string
    }
  | { readonly state: 'done'; readonly signIn: string; readonly profile: string }
  | {
      readonly state: 'failed'
      readonly signIn: string
      readonly code: string
      /** The first sentence says what happened, the rest what to do. */
      readonly message: string
    }
