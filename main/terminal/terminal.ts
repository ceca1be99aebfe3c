/** What the commands need of the terminal they run in. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The screen stdout is on; absent when it goes to a file or a pipe, or cannot be redrawn. */
  readonly screen?: Screen
  /** Whether somebody can answer a question. */
  readonly interactive: boolean
  /** One line on stdout. */
  out(line: string): void
  /** One line on stderr. */
  error(line: string): void
  /** Rings, where somebody is near; absent elsewhere. */
  bell?(): void
  /** The answer without its end of line; `undefined` when the input ended. */
  ask(question: string): Promise<string | undefined>
  /** Tells of each request to stop: Ctrl-C, SIGTERM, a closed terminal. Returns its own cancel. */
  onStop(run: () => void): () => void
  /** Tells when nobody reads stdout any more. */
  onOutputClosed(run: () => void): () => void
}

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
