/** What ends the words of a problem that Headroom or the service solves. */
export const NO_ACTION = 'No action needed.'

/**
 * What is said of a condition. A surface chooses which parts it has room for; none writes a sentence of its
 * own.
 *
 * `title` and `text` are the headline, `action` is an imperative or "No action needed.", `detail` why.
 */
export interface Message {
  /** The state in a word or two, beside the name of what it is a state of: `unreachable`, `429`. */
  readonly label: string
  /** The condition by itself, without a verb: `Service unreachable`, `Positions 429`. */
  readonly name: string
  /** A countdown, a share or a count beside the label, for a surface that is redrawn; often empty. */
  readonly note: string
  /** The same as a time of day, for a surface that is written once. */
  readonly moment: string
  readonly title: string
  readonly text: string
  readonly action: string
  readonly detail: string
}

/** The parts that are not empty, with a space between them. */
export const joined = (...parts: readonly string[]) => parts.filter(Boolean).join(' ')

interface Words {
  readonly label: string
  readonly name: string
  readonly title: string
  readonly text?: string
  readonly action?: string
  readonly detail?: string
  readonly note?: string
  readonly moment?: string
}

/** A message from its parts; what is left out is empty, and the action "No action needed." */
export const message = ({
  text = '',
  action = NO_ACTION,
  detail = '',
  note = '',
  moment = note,
  ...words
}: Words): Message => ({ ...words, text, action, detail, note, moment })

export const CHECK_NETWORK = 'Check the network.'
