import type { Terminal } from './terminal.ts'

/** A question that a person answers by typing a word. */
export interface Confirmation {
  readonly question: string
  /** The word to type: a verb that names the action. */
  readonly word: string
  /** The start of the line for an unconfirmed action, such as `nothing was revoked`. A reason follows. */
  readonly otherwise: string
}

/**
 * Whether a person confirmed an action. With `yes`, the result is true without a question. If the result is
 * false, a line with `otherwise` and the reason was written.
 */
export async function isConfirmed(
  terminal: Pick<Terminal, 'interactive' | 'ask' | 'error'>,
  yes: boolean,
  { question, word, otherwise }: Confirmation,
): Promise<boolean> {
  if (yes) return true
  if (!terminal.interactive) {
    terminal.error(`${otherwise}: no terminal to ask for confirmation; add --yes to ${word} without asking`)
    return false
  }
  const typed = await terminal.ask(`${question}\nType "${word}" to continue: `)
  if (typed?.trim() === word) return true
  terminal.error(`${otherwise}: not confirmed`)
  return false
}
