import type { Contract, Handlers } from '../../app/contract/ipc.ts'
import { argumentError } from './argument-error.ts'

/**
 * The result of one command from a window. The window shows `error`, which never repeats a part of the
 * argument.
 */
export type CommandAnswer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'unknown-command' }
  | { readonly kind: 'bad-argument'; readonly error: string }
  | { readonly kind: 'failed'; readonly error: string; readonly cause: unknown }

/**
 * Runs one command, in any host. The handler is called only if the contract's parser accepts the argument.
 */
export async function answerCommand<C extends Contract>(
  contract: C,
  handlers: Handlers<C>,
  name: string,
  received: unknown,
): Promise<CommandAnswer> {
  const entry = Object.hasOwn(contract, name) ? contract[name] : undefined
  if (entry?.kind !== 'command') return { kind: 'unknown-command' }
  let arg: unknown
  try {
    arg = entry.parse(received)
  } catch (error) {
    return { kind: 'bad-argument', error: argumentError(name, error) }
  }
  const handler = (handlers as Readonly<Record<string, (arg: unknown) => unknown>>)[name]
  if (handler === undefined) return { kind: 'unknown-command' }
  try {
    return { kind: 'value', value: await handler(arg) }
  } catch (cause) {
    return { kind: 'failed', error: `${name}: Headroom failed; see its log`, cause }
  }
}
