import type { Mutant } from './registry.ts'

/** Mutants of adding keys, and of protecting a newer sign-in. */
export const SIGN_IN_MUTANTS: readonly Mutant[] = [
  {
    promise: 'T8',
    what: 'sign in without a challenge',
    file: 'app/sign-in/authorize-url.ts',
    find: "    ['code_challenge', fields.challenge],\n    ['code_challenge_method', 'S256'],\n",
    replace: '',
    test: 'main/sign-in/third-party.test.ts',
    found: 'A key with a secret signed in without PKCE, and an access token of type mac was taken',
    tests: [
      '%s signs in at an independent implementation, whose redirect also names its issuer',
      ['main/sign-in/sign-ins.test.ts', 'of a key %s sends the challenge and later its verifier'],
      ['main/sign-in/code-exchange.test.ts', 'status %i with %j reads as %s'],
      [
        'app/tokens/refresh-grant.test.ts',
        'an access token of type %j is %s, and its refresh token is saved',
      ],
    ],
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
    promise: 'T13',
    what: 'take an answer with any state',
    file: 'app/sign-in/redirect.ts',
    find: "fields.get('state') !== expectedState",
    replace: "fields.get('state') === undefined || expectedState === ''",
  },
]
