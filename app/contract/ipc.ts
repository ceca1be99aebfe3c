/**
 * Types that derive main's handlers, the bridge and the window's `api` from one contract object. If one side
 * renames, retypes or leaves out a channel, the code does not compile.
 */

/** Turns an untrusted value into a `T`, or throws. */
export type Parse<T> = (value: unknown) => T

declare const result: unique symbol
declare const payload: unique symbol

/** A request from the window, answered by main. */
export interface Command<A, R> {
  readonly kind: 'command'
  readonly parse: Parse<A>
  readonly [result]?: R
}

/** A message from main to the window. */
export interface Push<T> {
  readonly kind: 'push'
  readonly [payload]?: T
}

/** A command. `argument` parses its argument. */
export const command = <A>(argument: { readonly parse: Parse<A> }) => ({
  returning: <R>(): Command<A, R> => ({ kind: 'command', parse: (value) => argument.parse(value) }),
})
/** A push whose payload is a `T`. */
export const push = <T>(): Push<T> => ({ kind: 'push' })

/** For commands that take no argument. */
export const nothing: { readonly parse: Parse<void> } = {
  parse: (value) => {
    if (value !== undefined && value !== null) throw new TypeError('this command takes no argument')
  },
}

// biome-ignore lint/suspicious/noExplicitAny: a contract holds entries of every argument and result type
export type Contract = Readonly<Record<string, Command<any, any> | Push<any>>>

type KeysOf<C, Kind> = { [K in keyof C]: C[K] extends Kind ? K : never }[keyof C]

/** Main's handlers: one function for each command. */
export type Handlers<C> = {
  [K in KeysOf<C, { kind: 'command' }>]: C[K] extends Command<infer A, infer R>
    ? (arg: A) => R | Promise<R>
    : never
}

/** The functions that send each push to a window. */
export type Pushes<C> = {
  [K in KeysOf<C, { kind: 'push' }>]: C[K] extends Push<infer T> ? (value: T) => void : never
}

/** The window's view of the contract. */
export type Api<C> = {
  [K in keyof C]: C[K] extends Command<infer A, infer R>
    ? (arg: A) => Promise<R>
    : C[K] extends Push<infer T>
      ? (listener: (value: T) => void) => () => void
      : never
}

/** Main's implementation of one feature: handlers for its commands, and a source of its pushes. */
export type Feature<Part> = { readonly handlers: Handlers<Part> } & ([keyof Pushes<Part>] extends [never]
  ? { readonly follow?: never }
  : {
      /** Starts to push to a window. Call the returned function to stop. */
      readonly follow: (pushes: Pushes<Part>) => () => void
    })

/** One function for each push of `contract`. Each function passes its channel and value to `send`. */
export function pushesThrough<C extends Contract>(
  contract: C,
  send: (channel: string, value: unknown) => void,
): Pushes<C> {
  const pushes = Object.entries(contract).filter(([, { kind }]) => kind === 'push')
  return Object.fromEntries(
    pushes.map(([channel]) => [channel, (value: unknown) => send(channel, value)]),
  ) as Pushes<C>
}

/** Sends each push to all current `targets()`. */
export function pushesToEach<C extends Contract>(contract: C, targets: () => Iterable<Pushes<C>>): Pushes<C> {
  return pushesThrough(contract, (channel, value) => {
    for (const target of targets())
      (target as Readonly<Record<string, (value: unknown) => void>>)[channel]?.(value)
  })
}
