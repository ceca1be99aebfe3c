import type { Mutant } from './registry.ts'

const PACKAGE_TEST = 'packaging/linux-package.test.ts'

/** Mutants of the installers' contents, and of files left after removal. */
export const PACKAGING_MUTANTS: readonly Mutant[] = [
  {
    promise: 'P1',
    what: 'import a package that is there only because another one needs it',
    file: 'package.json',
    find: '    "builder-util-runtime": "^9.7.0",\n',
    replace: '',
    test: 'declared-packages.test.ts',
    found: 'A package that a test imports was declared nowhere',
    tests: ['every imported package is declared'],
  },
  {
    promise: 'P1',
    what: 'pack every installed package next to the bundles that contain them already',
    file: 'electron-builder.yml',
    find: '  - "!node_modules/**"\n',
    replace: '',
    test: PACKAGE_TEST,
  },

  {
    promise: 'P2',
    what: 'leave the entry that starts the app at login',
    file: 'main/packaging/before-remove.sh',
    find: 'rm -f -- "$entry"',
    replace: 'true -- "$entry"',
    test: PACKAGE_TEST,
  },

  {
    promise: 'P3',
    what: 'pack whatever happens to be built',
    file: 'package.json',
    find: '    "prepack": "vite build",\n',
    replace: '',
    test: 'packaging/npm-package.process.test.ts',
  },

  {
    promise: 'P4',
    what: 'install what no signature vouches for',
    file: 'main/hosts/desktop/electron-updates.ts',
    find: "return platform === 'win32' && /^publisherName:/m.test(feed)",
    replace: "return platform === 'win32' || /^publisherName:/m.test(feed)",
  },
]
