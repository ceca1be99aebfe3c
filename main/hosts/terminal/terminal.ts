/** The terminal of a command: its input, output and signals. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The screen of stdout. Absent for a file or a pipe, or if the screen cannot be redrawn. */
  readonly screen?: Screen
  /** Whether a person can answer a question. */
  readonly interactive: boolean
  /**
   * Writes one line to stdout. Returns `false` if the reader is slow. Further lines then stay in memory until
   * the next `onDrain`.
   */
  out(line: string): boolean
  /** Calls `run` whenever a slow reader has read all output. Returns the unsubscribe function. */
  onDrain(run: () => void): () => void
  /** Writes one line to stderr. */
  error(line: string): void
  /** Rings the bell. Absent without a terminal. */
  bell?(): void
  /** Asks a question and returns the answer without its line end. `undefined` if the input has ended. */
  ask(question: string): Promise<string | undefined>
  /**
   * Reads a line that contains a secret. On a terminal, asks the question and does not show what is typed.
   * From a pipe or a file, reads the line without a question.
   */
  askSecret(question: string): Promise<string | undefined>
  /**
   * Subscribes to requests to stop: Ctrl-C, SIGTERM, a closed terminal. Returns a function that unsubscribes.
   */
  onStop(run: () => void): () => void
  /** Subscribes to single typed keys. Absent if stdin is not a terminal. Returns the unsubscribe function. */
  onKey?(run: (key: string) => void): () => void
  /** Subscribes to the end of stdout. Returns the unsubscribe function. */
  onOutputEnd(run: (end: OutputEnd) => void): () => void
}

/** The reason why stdout ended. */
export type OutputEnd =
  /** The reader has closed stdout, as in `watch --json | head`. */
  | { readonly kind: 'closed' }
  /** Writing failed, for example because the disk is full. `line`: the reason. */
  | { readonly kind: 'failed'; readonly line: string }

/** A terminal's screen that can be redrawn. */
export interface Screen {
  columns(): number
  /** The number of visible lines. */
  rows(): number
  readonly colour: boolean
  /** Replaces the previous drawing. */
  draw(text: string): void
  /** Calls `run` after each change of the size, with the screen cleared. Returns the unsubscribe function. */
  onResize(run: () => void): () => void
  /** Leaves the last drawing on the screen and continues below it. */
  keep(): void
}

export const EXIT_OK = 0
export const EXIT_FAILURE = 1
export const EXIT_USAGE = 2
/** Exit code if retrying does not help. A person must sign in or correct the configuration. */
export const EXIT_PERSON_NEEDED = 3
/** Exit code of `headroom plan --exit-code` if the plan does not fit. */
export const EXIT_DOES_NOT_FIT = 4

/** `needsPerson` means that retrying is useless until a person corrects the configuration. */
export const exitCodeOf = ({ needsPerson }: { readonly needsPerson: boolean }): number =>
  needsPerson ? EXIT_PERSON_NEEDED : EXIT_FAILURE

/** Writes why a command fails, and returns its exit code. */
export function failWith(
  { error }: Pick<Terminal, 'error'>,
  line: string,
  exitCode: number = EXIT_FAILURE,
): number {
  error(line)
  return exitCode
}
