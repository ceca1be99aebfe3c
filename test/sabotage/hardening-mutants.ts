import type { Mutant } from './registry.ts'

const HARDENING = 'main/hosts/desktop/hardening.ts'
const HARDENING_TEST = 'main/hosts/desktop/hardening.test.ts'
const PACKAGES = 'electron-builder.yml'
const PACKAGING_TEST = 'desktop/packaging.test.ts'

type Switch = readonly [what: string, find: string, replace: string]

/** One of the window's preferences, or one of the restrictions of every page. */
const PAGE_SWITCHES: readonly Switch[] = [
  ['give the page Node', 'nodeIntegration: false,', 'nodeIntegration: true,'],
  [
    'grant every permission to the own page',
    "permission === 'clipboard-sanitized-write' &&",
    "permission !== '' &&",
  ],
  [
    'let the page navigate',
    "contents.on('will-navigate', (event) => {\n    if (!isOnlyReload(event)) event.preventDefault()\n",
    "contents.on('will-navigate', () => {\n",
  ],
  [
    'let the page reach the network',
    'decide({ cancel: !mayRequest(url, isPackaged) })',
    "decide({ cancel: !mayRequest(url, isPackaged) && !url.startsWith('http') })",
  ],
]

const FUSES: readonly Switch[] = [
  ['package a binary that is a Node for whoever finds it', 'runAsNode: false', 'runAsNode: true'],
]

const switched = (file: string, test: string) => {
  return ([what, find, replace]: Switch): Mutant => ({ promise: 'W1', what, file, find, replace, test })
}

/**
 * One switch of each kind in Electron's security checklist. The other switches are booleans, which StrykerJS
 * inverts.
 */
export const HARDENING_MUTANTS: readonly Mutant[] = [
  ...PAGE_SWITCHES.map(switched(HARDENING, HARDENING_TEST)),
  ...FUSES.map(switched(PACKAGES, PACKAGING_TEST)),
  {
    promise: 'W1',
    what: 'open whatever address is given',
    file: 'main/hosts/desktop/open-externally.ts',
    find: 'if (!mayBeOpened(address)) throw',
    replace: "if (!mayBeOpened(address) && address === '') throw",
  },

  {
    promise: 'W1',
    what: 'serve the page without a policy of its own',
    file: 'main/network/security-headers.ts',
    find: `    "default-src 'none'",`,
    replace: `    "default-src 'self' 'unsafe-inline'",`,
    test: 'main/hosts/desktop/app-scheme.test.ts',
  },
]
