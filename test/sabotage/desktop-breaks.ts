import type { Sabotage } from './registry.ts'

const HARDENING = 'main/desktop/hardening.ts'
const HARDENING_TEST = 'main/desktop/hardening.test.ts'
const IPC_FUZZ_TEST = 'main/desktop/ipc-fuzz.test.ts'
const OPEN_PAGE = 'main/desktop/open-page.ts'
const OPEN_PAGE_TEST = 'main/desktop/open-page.test.ts'
const PACKAGING_TEST = 'desktop/packaging.test.ts'

/** The desktop host's, as far as no Electron is needed to notice them. */
export const DESKTOP_SABOTAGES: readonly Sabotage[] = [
  {
    promise: 'W1',
    what: 'give the page a process without a sandbox',
    file: HARDENING,
    find: '    sandbox: true,',
    replace: '    sandbox: false,',
    test: HARDENING_TEST,
  },
  {
    promise: 'W1',
    what: 'grant every permission to the own page',
    file: HARDENING,
    find: "permission === 'clipboard-sanitized-write' &&",
    replace: "permission !== '' &&",
    test: HARDENING_TEST,
  },
  {
    promise: 'W1',
    what: 'let the page navigate',
    file: HARDENING,
    find: "contents.on('will-navigate', (event) => event.preventDefault())",
    replace: "contents.on('will-navigate', () => {})",
    test: HARDENING_TEST,
  },
  {
    promise: 'W1',
    what: 'let the page reach the network',
    file: HARDENING,
    find: 'decide({ cancel: !mayRequest(url, isPackaged) })',
    replace: "decide({ cancel: !mayRequest(url, isPackaged) && !url.startsWith('http') })",
    test: HARDENING_TEST,
  },
  {
    promise: 'W1',
    what: 'package a binary that is a Node for whoever finds it',
    file: 'electron-builder.yml',
    find: 'runAsNode: false',
    replace: 'runAsNode: true',
    test: PACKAGING_TEST,
  },
  {
    promise: 'W1',
    what: 'open whatever address is given',
    file: 'main/desktop/open-externally.ts',
    find: 'if (!mayBeOpened(address)) throw',
    replace: "if (!mayBeOpened(address) && address === '') throw",
    test: 'main/desktop/open-externally.test.ts',
  },
  {
    promise: 'W2',
    what: 'skip the sender check',
    file: 'main/desktop/ipc.ts',
    find: 'if (!isTrusted(event)) {',
    replace: "if (!isTrusted(event) && channel === '') {",
    test: IPC_FUZZ_TEST,
  },
  {
    promise: 'W2',
    what: 'trust a frame inside the page',
    file: 'main/desktop/ipc.ts',
    find: '    senderFrame.parent === null &&\n',
    replace: '',
    test: IPC_FUZZ_TEST,
  },
  {
    promise: 'W2',
    what: 'hand a handler what came, unparsed',
    file: 'main/browser/answer-command.ts',
    find: '    arg = entry.parse(received)\n',
    replace: '    arg = received\n',
    test: IPC_FUZZ_TEST,
  },
  {
    promise: 'W6',
    what: 'leave a page blank whose process ended',
    file: OPEN_PAGE,
    find: '      contents.reload()\n',
    replace: '',
    test: OPEN_PAGE_TEST,
  },
  {
    promise: 'W6',
    what: 'load a page that ends again and again without a pause',
    file: 'main/desktop/recovery.ts',
    find: 'const index = Math.min(recent.length, RECOVERY_WAITS_MS.length - 1)',
    replace: 'const index = Math.min(recent.length, 0)',
    test: 'main/desktop/recovery.test.ts',
  },
  {
    promise: 'W6',
    what: 'keep every snapshot for a page that stands still',
    file: 'main/desktop/paced-pushes.ts',
    find: 'if (unheard < MOST_UNHEARD) send(snapshot)',
    replace: 'if (unheard >= 0) send(snapshot)',
    test: 'main/desktop/paced-pushes.test.ts',
  },
  {
    promise: 'T9',
    what: 'sleep through the wake of the machine',
    file: 'main/desktop/follow-power.ts',
    find: '    monitor.wake()\n',
    replace: '    void monitor\n',
    test: 'main/desktop/follow-power.test.ts',
  },
  {
    promise: 'T11',
    what: 'save a report with the names that stand in the log',
    file: 'main/desktop/report.ts',
    find: 'redactor.text(withoutNames(text))',
    replace: '(withoutNames(text) && text)',
    test: 'main/desktop/report.test.ts',
  },
]
