import type { Command, CommanderError } from 'commander'

const SECRET_FLAGS: ReadonlySet<string> = new Set(['--client-secret', '--refresh-token'])

/**
 * One line that names the flag and says what was expected. Arguments that were not asked for are not
 * repeated: one may be a secret somebody meant to give to a flag that does not exist.
 */
export function usageLine({ code, message }: CommanderError, command: Command | undefined): string {
  if (command === undefined)
    return 'the commands are start, watch, status, export, simulate and revoke; --help describes them'
  const flag = /option '(--?[^ '=]+)/.exec(message)?.[1] ?? ''
  const option = command.options.find((known) => known.long === flag)
  switch (code) {
    case 'commander.excessArguments':
      return `${command.name()} takes flags only; --help lists them`
    case 'commander.optionMissingArgument':
      return `option '${option?.flags ?? flag}' needs a value: ${option?.description ?? ''}`
    case 'commander.unknownOption':
      if (option !== undefined) return `option '${flag}' takes no value`
      return SECRET_FLAGS.has(flag)
        ? `unknown option '${flag}': secrets come from HEADROOM_CLIENT_SECRET and HEADROOM_REFRESH_TOKEN`
        : `unknown option '${flag}'; --help lists what there is`
    default:
      return message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
  }
}
