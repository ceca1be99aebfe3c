import type { Mutant } from './registry.ts'

const GATE = 'main/network/request-gate.ts'
const PAGES = 'e2e/hostile-pages.spec.ts'
const REQUESTS = 'e2e/hostile-requests.spec.ts'

/** Breaks that hostile pages, programs and files notice. */
export const HOSTILE_MUTANTS: readonly Mutant[] = [
  {
    promise: 'W4',
    what: 'take any Origin that calls itself an address of this machine',
    file: GATE,
    find: 'origins.some((origin) => origin !== ',
    replace: "origins.some((origin) => !origin.startsWith('http://127.0.0.1') && origin !== ",
    test: REQUESTS,
    grep: 'no path, method or header',
  },
  {
    promise: 'W4',
    what: 'let a code be used again',
    file: 'main/hosts/browser/admission.ts',
    find: '      this.#code = newSecret(this.#deps.randomBytes)\n',
    replace: '',
    test: PAGES,
    grep: 'a code is worth nothing',
  },
  {
    promise: 'W4',
    what: 'leave the page that opened ours its handle',
    file: 'main/network/security-headers.ts',
    find: "'cross-origin-opener-policy': 'same-origin'",
    replace: "'cross-origin-opener-policy': 'unsafe-none'",
    test: PAGES,
    grep: 'a page that opens ours',
  },
  {
    promise: 'W3',
    what: 'let scripts within the page run',
    file: 'main/network/security-headers.ts',
    find: '"script-src \'self\'"',
    replace: "\"script-src 'self' 'unsafe-inline'\"",
    test: REQUESTS,
    grep: 'what got into our page',
  },
  {
    promise: 'W2',
    what: 'read a request on the control socket that says more than it may',
    file: 'main/control/protocol.ts',
    find: "z.strictObject({ do: z.literal('status') })",
    replace: "z.looseObject({ do: z.literal('status') })",
    test: 'main/control/protocol-fuzz.test.ts',
  },
  {
    promise: 'D2',
    what: 'take whatever interval a settings file names',
    file: 'main/vault/profile-record.ts',
    find: 'value <= 0 ? 0 : clamped(range, value)',
    replace: 'value <= 0 ? 0 : Math.max(value, 0 * range.least)',
    test: 'main/stored-files-fuzz.test.ts',
  },
  {
    promise: 'D2',
    what: 'let the name of a planned program reorder a line',
    file: 'app/plan/plan-file.ts',
    find: '/^[^\\p{Cc}\\p{Bidi_Control}\\u2028\\u2029]+$/u',
    replace: '/^[^\\p{Cc}]+$/u',
    test: 'main/hosts/terminal/plan-command.test.ts',
  },
  {
    promise: 'D2',
    what: 'read a plan to its end, however long it is',
    file: 'main/hosts/terminal/plan-command.ts',
    find: 'readBounded(file, MAX_PLAN_FILE_BYTES)',
    replace: 'readBounded(file, 64 * MAX_PLAN_FILE_BYTES)',
    test: 'main/hosts/terminal/plan-command.test.ts',
  },
  {
    promise: 'K1',
    what: 'end the start over a stored number out of range',
    file: 'main/storage/storage-error.ts',
    find: 'if (isForeignRow(error)) return DAMAGED',
    replace: 'if (isForeignRow(error) && error instanceof SyntaxError) return DAMAGED',
    test: 'main/vault/rows-fuzz.test.ts',
  },
]
