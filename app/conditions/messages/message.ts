import { isLoopback } from '../../service/service-origin.ts'
import { sentence, sentenceEnd } from '../../status/sentences.ts'

/** The action of a message if a person need not do anything. */
export const NO_ACTION = 'No action needed.'

/**
 * The text of a condition. Each surface chooses the parts that fit, and adds no sentences of its own.
 *
 * `title` and `text` form the headline. `action` is an imperative or "No action needed." `detail` explains
 * why.
 */
export interface Message {
  /** The state in one or two words, shown next to its subject: `unreachable`, `429`. */
  readonly label: string
  /** The condition as a phrase without a verb: `Service unreachable`, `Positions 429`. */
  readonly name: string
  /** A countdown, share or count next to the label, for a surface that redraws. May be empty. */
  readonly note: string
  /** Like `note`, but with a time of day in place of a countdown, for a surface that does not redraw. */
  readonly moment: string
  readonly title: string
  readonly text: string
  readonly action: string
  readonly detail: string
}

/** Joins the non-empty parts with spaces. */
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

/** A message from its parts. Missing parts are empty. A missing action is "No action needed." */
export const message = ({
  text = '',
  action = NO_ACTION,
  detail = '',
  note = '',
  moment = note,
  ...words
}: Words): Message => ({ ...words, text, action, detail, note, moment })

const isOnThisComputer = (host: string | undefined): host is string =>
  host !== undefined && isLoopback(host.replace(/:\d+$/, ''))

/** Hosts, such as `127.0.0.1:8080`, that do not respond. */
interface AwayHosts {
  readonly service?: string | undefined
  readonly signIn?: string | undefined
}

/** The action for hosts that do not respond. Two hosts on this computer differ only in their port. */
export function checkHosts({ service, signIn }: AwayHosts): string {
  const here = [...new Set([service, signIn].filter(isOnThisComputer))]
  if (here.length === 2) return `Check the servers at ${service} (service) and ${signIn} (sign-in).`
  return here.length === 1 ? `Check that a server is running at ${here[0]}.` : 'Check the network.'
}

/** Why a host does not respond. Leaves out the host's name if `checkHosts` gives it. */
export const hostReason = (host: string | undefined, why: string | undefined): string => {
  if (host === undefined || why === undefined) return ''
  return isOnThisComputer(host) ? sentence(why) : `${host}: ${sentenceEnd(why)}`
}
