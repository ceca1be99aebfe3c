import type { Command, CommanderError } from 'commander'

const SECRET_FLAGS: ReadonlySet<string> = new Set(['--client-secret', '--refresh-token'])
/** Maximum edit distance to a suggested word, as a share of the longer word. */
const MAX_SHARE = 1 / 3
/** Maximum length of a compared word. A longer word matches no command and would take too long to compare. */
const MAX_LENGTH = 64

/**
 * Describes a usage error in one line with the flag and the expected value.
 *
 * An unexpected argument may be a secret for a flag that does not exist, so it is not repeated.
 */
export function usageErrorLine(
  { code, message }: CommanderError,
  program: Command,
  args: readonly string[],
): string {
  const command = commandOf(program, args)
  const meant = meantCommand(program, args)
  if (command === undefined)
    return `${meant === undefined ? '' : `did you mean 'headroom ${meant}'? `}commands: start, watch, status, export, plan, simulate, revoke, gateway, program, orders, desk; see headroom --help`
  const flag = /option '(--?[^ '=]+)/.exec(message)?.[1] ?? ''
  const option = command.options.find((known) => known.long === flag)
  switch (code) {
    case 'commander.excessArguments':
      return command.registeredArguments.length > 0
        ? `too many arguments; see headroom ${command.name()} --help`
        : `unexpected argument; ${command.name()} takes flags only; see headroom ${command.name()} --help`
    case 'commander.missingArgument': {
      const [missing] = command.registeredArguments
      return `give the ${missing?.name()}: ${missing?.description}; see headroom ${command.name()} --help`
    }
    case 'commander.optionMissingArgument':
      return `option '${option?.flags ?? flag}' needs a value: ${option?.description ?? ''}`
    case 'commander.unknownOption':
      if (option !== undefined) return `option '${flag}' takes no value`
      return SECRET_FLAGS.has(flag)
        ? `unknown option '${flag}': set HEADROOM_CLIENT_SECRET and HEADROOM_REFRESH_TOKEN instead`
        : `unknown option '${flag}'; ${meantOption(command, flag)}see headroom ${command.name()} --help`
    default:
      return withoutPassword(message, flag)
        .replace(/^error: /, '')
        .replace(/^command-argument value ('.*') is invalid for argument '(\w+)'\./s, 'invalid $2 $1.')
        .replace(/\s*\n\s*/g, ' ')
  }
}

/** Removes an address from a message, because it may contain a user name and a password. */
const withoutPassword = (message: string, flag: string): string =>
  flag.endsWith('-url') || flag === '--server'
    ? message.replace(/ argument '.*@.*' is/s, ' argument is')
    : message

/** The command that `args` begins with. `undefined` if the first word is not a command. */
function commandOf(program: Command, args: readonly string[]): Command | undefined {
  const [first = '--'] = args
  const name = first.startsWith('-') ? 'start' : first
  return program.commands.find((command) => command.name() === name)
}

/**
 * The command that a person probably meant by the first word. The word is not repeated, because it may be a
 * secret.
 */
function meantCommand(program: Command, [first = '']: readonly string[]): string | undefined {
  return suggestionFor(
    first,
    program.commands.map((command) => command.name()),
  )
}

/** A suggestion for a mistyped flag, such as `did you mean '--port'? `. Empty if no flag is similar. */
function meantOption(command: Command, flag: string): string {
  const meant = suggestionFor(
    flag,
    command.options.flatMap(({ long }) => long ?? []),
  )
  return meant === undefined ? '' : `did you mean '${meant}'? `
}

/** The known word with the smallest edit distance to `word`. `undefined` if none is close. */
export function suggestionFor(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((name) => ({ name, edits: editDistance(word.toLowerCase(), name) }))
    .filter(({ name, edits }) => edits <= Math.max(name.length, word.length) * MAX_SHARE)
    .sort((a, b) => a.edits - b.edits)
  return near[0]?.name
}

/**
 * The number of insertions, deletions, replacements and swaps of neighbouring letters that turn `a` into `b`.
 */
export function editDistance(a: string, b: string): number {
  if (Math.max(a.length, b.length) > MAX_LENGTH) return Number.POSITIVE_INFINITY
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
      const swapped = isSwap ? (before[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
