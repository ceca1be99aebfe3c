import type { Mutant } from './registry.ts'

const ADDRESS_FILE = 'main/storage/address-file.ts'
const BROWSER_HOST_TEST = 'main/hosts/browser/browser-host.test.ts'

/**
 * Mutants of the code that passes an address with a secret to a browser, and that decides who is admitted
 * with it.
 */
export const ADMISSION_MUTANTS: readonly Mutant[] = [
  {
    promise: 'T13',
    what: 'hand the browser the address with its code',
    file: ADDRESS_FILE,
    find: 'await openFile(path)',
    replace: 'await openFile(address)',
    test: 'main/hosts/terminal/opened-address.process.test.ts',
  },

  {
    promise: 'T13',
    what: 'vouch for a stored token without its sign-in host',
    file: 'main/vault/profile-record.ts',
    find: 'JSON.stringify([id, authUrl, baseUrl, clientId])',
    replace: 'JSON.stringify([id, authUrl.slice(0, 0), baseUrl, clientId])',
  },
  {
    promise: 'T13',
    what: 'leave the code of a window in the address bar and the history',
    file: 'renderer/api/browser-session.ts',
    find: "history.replaceState(null, '', location.pathname + location.search)",
    replace: "history.replaceState(null, '', location.pathname + location.search + location.hash)",
  },
  {
    promise: 'W4',
    what: 'let a window in without a word',
    file: 'main/hosts/admitted-windows.ts',
    find: 'this.#deps.admitted(id, this.#windows.size)',
    replace: 'if (this.#windows.size > 99) this.#deps.admitted(id, this.#windows.size)',
    test: BROWSER_HOST_TEST,
  },

  {
    promise: 'W4',
    what: 'compare two bytes of the code',
    file: 'main/hosts/browser/admission.ts',
    find: "createHash('sha256').update(offered).digest(), createHash('sha256').update(wanted).digest())",
    replace:
      "createHash('sha256').update(offered).digest().subarray(0, 2), createHash('sha256').update(wanted).digest().subarray(0, 2))",
  },

  {
    promise: 'W6',
    what: 'keep every push stream that a bearer opens',
    file: 'main/hosts/browser/browser-windows.ts',
    find: 'if (this.#streams.size > MAX_STREAMS_PER_WINDOW) this.#endOldest()',
    replace: 'if (this.#streams.size > 1_000 * MAX_STREAMS_PER_WINDOW) this.#endOldest()',
    test: 'main/hosts/browser/admission.test.ts',
  },
]
