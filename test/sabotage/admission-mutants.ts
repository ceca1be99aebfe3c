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
    found:
      'The code of a window, and the address of a sign-in, were in an argument list that every user can read',
    tests: [
      'while the browser opens, no argument list contains the code, and no other user can read a file with it',
      [
        'main/storage/address-file.test.ts',
        'a file readable only by its owner redirects to the address, whatever its characters',
      ],
      [
        'main/storage/address-file.test.ts',
        'it is deleted after the address was used, after a minute, and if no browser could be opened',
      ],
      [
        'main/hosts/desktop/open-externally.test.ts',
        'opens a file of the data folder if the address would be an argument of xdg-open',
      ],
      ['main/sign-in/sign-ins.test.ts', 'opens the same address that the window shows'],
    ],
  },

  {
    promise: 'T13',
    what: 'vouch for a stored token without its sign-in host',
    file: 'main/vault/profile-record.ts',
    find: 'JSON.stringify([id, authUrl, baseUrl, clientId])',
    replace: 'JSON.stringify([id, authUrl.slice(0, 0), baseUrl, clientId])',
    found: 'No test noticed that a stored token was vouched for without its host',
    tests: ['a mark covers each host, the client id and the profile, under its own data key'],
  },
  {
    promise: 'T13',
    what: 'leave the code of a window in the address bar and the history',
    file: 'renderer/api/browser-session.ts',
    find: "history.replaceState(null, '', location.pathname + location.search)",
    replace: "history.replaceState(null, '', location.pathname + location.search + location.hash)",
    found: 'A browser kept the code of a window in its history',
    tests: ['removes the code from the address bar at once, and once'],
  },
  {
    promise: 'W4',
    what: 'let a window in without a word',
    file: 'main/hosts/admitted-windows.ts',
    find: 'this.#deps.admitted(id, this.#windows.size)',
    replace: 'if (this.#windows.size > 99) this.#deps.admitted(id, this.#windows.size)',
    test: BROWSER_HOST_TEST,
    found: 'A connected window was neither reported nor listed, and could not be ended',
    tests: [
      'are announced one by one, and listed for each of them',
      'stay ended when another one ends them, with their push stream',
    ],
  },

  {
    promise: 'W4',
    what: 'compare two bytes of the code',
    file: 'main/network/random-secret.ts',
    find: "timingSafeEqual(hash('sha256', offered, 'buffer'), hash('sha256', wanted, 'buffer'))",
    replace:
      "timingSafeEqual(hash('sha256', offered, 'buffer').subarray(0, 2), hash('sha256', wanted, 'buffer').subarray(0, 2))",
    test: 'main/hosts/browser/admission.test.ts',
    found:
      'No test noticed that two bytes of a digest were compared, that a cache stored responses, or endless push streams',
    tests: [
      'a code whose digest nearly matches is rejected',
      'a bearer is looked up by its whole digest',
      'a bearer that opens one push stream after another has at most four',
      ['main/hosts/browser/browser-host.test.ts', 'send responses that no cache may store'],
    ],
  },

  {
    promise: 'W6',
    what: 'keep every push stream that a bearer opens',
    file: 'main/hosts/browser/browser-windows.ts',
    find: 'if (this.#streams.size > MAX_STREAMS_PER_WINDOW) this.#endOldest()',
    replace: 'if (this.#streams.size > 1_000 * MAX_STREAMS_PER_WINDOW) this.#endOldest()',
    test: 'main/hosts/browser/admission.test.ts',
    found:
      'No test noticed that two bytes of a digest were compared, that a cache stored responses, or endless push streams',
  },
]
