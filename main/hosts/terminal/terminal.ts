/** What the commands need of the terminal they run in. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The screen stdout is on; absent when it goes to a file or a pipe, or cannot be redrawn. */
  readonly screen?: Screen
  /** Whether somebody can answer a question. */
  readonly interactive: boolean
  /** One line on stdout. `false`: its reader lags, and what is written before the next `onDrain` waits in memory. */
  out(line: string): boolean
  /** Tells when everything that waited has been read. Returns its own cancel. */
  onDrain(run: () => void): () => void
  /** One line on stderr. */
  error(line: string): void
  /** Rings, where somebody is near; absent elsewhere. */
  bell?(): void
  /** The answer without its end of line; `undefined` when the input ended. */
  ask(question: string): Promise<string | undefined>
  /** Tells of each request to stop: Ctrl-C, SIGTERM, a closed terminal. Returns its own cancel. */
  onStop(run: () => void): () => void
  /** Tells when stdout takes no more. Returns its own cancel. */
  onOutputEnd(run: (end: OutputEnd) => void): () => void
}

export type OutputEnd =
  /** Its reader is gone, as with `watch --json | head`. */
  | { readonly kind: 'closed' }
  /** It cannot be written, as on a full disk; the line says why. */
  | { readonly kind: 'failed'; readonly line: string }

export interface Screen {
  columns(): number
  /** Lines that are seen at once. */
  rows(): number
  readonly colour: boolean
  /** Replaces what was drawn before. */
  draw(text: string): void
  /** Leaves what was drawn and goes on below it. */
  keep(): void
}

export const EXIT_OK = 0
export const EXIT_FAILURE = 1
export const EXIT_USAGE = 2
/** Trying again does not help: a person has to sign in, or to mend what is configured. */
export const EXIT_PERSON_NEEDED = 3
