import type { Mutant } from './registry.ts'

const UPDATES_TEST = 'main/hosts/desktop/updates.test.ts'
const PACKAGE_TEST = 'packaging/linux-package.test.ts'

/** Of what the installers hold, and what they leave behind. */
export const PACKAGING_MUTANTS: readonly Mutant[] = [
  {
    promise: 'P1',
    what: 'import a package that is there only because another one needs it',
    file: 'package.json',
    find: '    "builder-util-runtime": "^9.7.0",\n',
    replace: '',
    test: 'declared-packages.test.ts',
  },
  {
    promise: 'P1',
    what: 'pack every installed package beside the bundles that hold them already',
    file: 'electron-builder.yml',
    find: '  - "!node_modules/**"\n',
    replace: '',
    test: PACKAGE_TEST,
  },
  {
    promise: 'P1',
    what: 'ship the fonts without their licences',
    file: 'main/packaging/third-party-notices.ts',
    find: '            if (found !== undefined) add(found)\n',
    replace: '            void found\n',
    test: 'packaging/third-party-notices.test.ts',
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
    promise: 'P2',
    what: 'forget at an update that the app was to start at login',
    file: 'main/packaging/before-remove.sh',
    find: '[ "$1" = remove ] || exit 0',
    replace: '[ -n "$1" ] || exit 0',
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
    what: 'fetch a newer version as soon as it is known',
    file: 'main/hosts/desktop/updates.ts',
    find: '        announce(version)\n',
    replace: '        announce(version)\n        void fetch(from, version)\n',
    test: UPDATES_TEST,
  },
  {
    promise: 'P4',
    what: 'look for newer versions although that is switched off',
    file: 'main/hosts/desktop/updates.ts',
    find: 'if (updater !== undefined && isWanted() && !isClosed)',
    replace: 'if (updater !== undefined && !isClosed)',
    test: UPDATES_TEST,
  },
  {
    promise: 'P4',
    what: 'install what no signature vouches for',
    file: 'main/hosts/desktop/electron-updates.ts',
    find: "return platform === 'win32' && /^publisherName:/m.test(feed)",
    replace: "return platform === 'win32' || /^publisherName:/m.test(feed)",
    test: 'main/hosts/desktop/electron-updates.test.ts',
  },
]
