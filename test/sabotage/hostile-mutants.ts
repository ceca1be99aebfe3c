import type { Mutant } from './registry.ts'

const PAGES = 'e2e/hostile-pages.spec.ts'
const REQUESTS = 'e2e/hostile-requests.spec.ts'

/** Breaks that hostile pages, programs and files notice. */
export const HOSTILE_MUTANTS: readonly Mutant[] = [
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
    promise: 'W3',
    what: 'let scripts within the page run',
    file: 'main/network/security-headers.ts',
    find: '"script-src \'self\'"',
    replace: "\"script-src 'self' 'unsafe-inline'\"",
    test: REQUESTS,
    grep: 'what got into our page',
  },
]
