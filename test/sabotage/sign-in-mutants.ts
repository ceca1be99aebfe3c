import type { Mutant } from './registry.ts'

const COMMANDS = 'main/sign-in/sign-in-commands.ts'
const COMMANDS_TEST = 'main/sign-in/sign-in-commands.test.ts'
const SIGN_INS_TEST = 'main/sign-in/sign-ins.test.ts'

/** Mutants of how keys come in, and of what a newer sign-in must be spared. */
export const SIGN_IN_MUTANTS: readonly Mutant[] = [
  {
    promise: 'T8',
    what: 'send a person to a sign-in host that does not answer',
    file: 'main/sign-in/sign-ins.ts',
    find: 'if (unreachable === undefined) await this.#open(pending)',
    replace: 'await this.#open(pending)',
    test: 'main/sign-in/sign-ins.test.ts',
  },
  {
    promise: 'T8',
    what: 'look at the sign-in host once, and not while a person waits',
    file: 'main/sign-in/host-watch.ts',
    find: 'cancel = clock.after(waitMs, () => look(tell))',
    replace: 'cancel = clock.after(waitMs, () => tell(why))',
    test: 'main/sign-in/sign-ins.test.ts',
  },
  {
    promise: 'T8',
    what: 'sign in without a challenge',
    file: 'app/sign-in/authorize-url.ts',
    find: "    ['code_challenge', fields.challenge],\n    ['code_challenge_method', 'S256'],\n",
    replace: '',
    test: 'main/sign-in/third-party.test.ts',
  },
  {
    promise: 'T10',
    what: 'take an access token of any type',
    file: 'app/tokens/refresh-grant.ts',
    find: 'token_type: z.optional(z.nullable(z.string().check(z.regex(/^bearer$/i)))),',
    replace: 'token_type: z.optional(z.unknown()),',
    test: 'main/sign-in/code-exchange.test.ts',
  },
  {
    promise: 'R4',
    what: 'keep retrying a revocation after a newer sign-in',
    file: 'main/monitor/connected-profiles.ts',
    find: 'for (const other of this.#othersWithKeyOf(profile)) other.suspendRevocationRetry()',
    replace: 'for (const other of this.#othersWithKeyOf(profile)) other.wake()',
    test: 'simulation/stories.test.ts',
  },
  {
    promise: 'R4',
    what: 'spend the code while a revocation is under way',
    file: COMMANDS,
    find: 'prepare: () => keys.suspendRevocationRetry(key),',
    replace: 'prepare: async () => {},',
    test: COMMANDS_TEST,
  },
  {
    promise: 'R4',
    what: 'do not ask before a pending revocation is cancelled',
    file: COMMANDS,
    find: 'cancelRevoke !== true && keys.isRevocationPending(key)',
    replace: 'cancelRevoke !== true && keys.isRevocationPending(key) && keys.profiles().length > 9',
    test: COMMANDS_TEST,
  },
  {
    promise: 'sign-in',
    what: 'take an answer with any state',
    file: 'app/sign-in/redirect.ts',
    find: "fields.get('state') !== expectedState",
    replace: "fields.get('state') === undefined || expectedState === ''",
    test: 'app/sign-in/redirect.test.ts',
  },
  {
    promise: 'sign-in',
    what: 'take a second answer while the first is exchanged',
    file: 'main/sign-in/sign-ins.ts',
    find: "pending?.id !== id || pending.stage !== 'waiting'",
    replace: 'pending?.id !== id',
    test: SIGN_INS_TEST,
  },
  {
    promise: 'sign-in',
    what: 'answer to any host name',
    file: 'main/sign-in/redirect-server.ts',
    find: "if (!names.has(request.headers.host ?? ''))",
    replace: "if (!names.has(request.headers.host ?? '') && port < 0)",
    test: SIGN_INS_TEST,
  },
  {
    promise: 'sign-in',
    what: 'let an opaque id_token fail the exchange after the code was spent',
    file: 'main/sign-in/code-exchange.ts',
    find: 'JSON.stringify(rest)',
    replace: 'JSON.stringify({ ...fields, ...rest })',
    test: 'main/sign-in/code-exchange.test.ts',
  },
  {
    promise: 'sign-in',
    what: 'leave the other profiles of an API key with the secret that was corrected in one',
    file: 'main/sign-in/corrected-secrets.ts',
    find: 'if (outcome.ok) this.accepted(id)',
    replace: 'if (outcome.ok) this.drop(id)',
    test: 'main/sign-in/corrected-secrets.test.ts',
  },
  {
    promise: 'sign-in',
    what: 'give every profile of an API key a secret that the service does not take',
    file: 'main/sign-in/corrected-secrets.ts',
    find: 'if (outcome.ok) this.accepted(id)',
    replace: 'this.accepted(id)',
    test: 'main/sign-in/corrected-secrets.test.ts',
  },
]
