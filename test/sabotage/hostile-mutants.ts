import type { Mutant } from './registry.ts'

const PAGES = 'e2e/hostile-pages.spec.ts'
const REQUESTS = 'e2e/hostile-requests.spec.ts'

/** Mutants that tests with hostile pages, programs and files notice. */
export const HOSTILE_MUTANTS: readonly Mutant[] = [
  {
    promise: 'W4',
    what: 'let a code be used again',
    file: 'main/hosts/browser/admission.ts',
    find: '      this.#code = newSecret(this.#deps.randomBytes)\n',
    replace: '',
    test: PAGES,
    grep: 'a code is worthless to such a page, and to anyone once it was used',
  },

  {
    promise: 'W3',
    what: 'let scripts within the page run',
    file: 'main/network/security-headers.ts',
    find: '"script-src \'self\'"',
    replace: "\"script-src 'self' 'unsafe-inline'\"",
    test: REQUESTS,
    grep: 'script injected into our page could neither run, load nor send',
  },
]
