import type { Mutant } from './registry.ts'

const IPC_FUZZ_TEST = 'main/hosts/desktop/ipc-fuzz.test.ts'
const QUIT = 'main/hosts/desktop/quit.ts'

/** Mutants of the desktop host that tests without Electron notice. */
export const DESKTOP_MUTANTS: readonly Mutant[] = [
  {
    promise: 'W2',
    what: 'skip the sender check',
    file: 'main/hosts/desktop/ipc.ts',
    find: 'if (!isTrusted(event)) {',
    replace: "if (!isTrusted(event) && channel === '') {",
    test: IPC_FUZZ_TEST,
  },

  {
    promise: 'W2',
    what: 'hand a handler what came, unparsed',
    file: 'main/hosts/answer-command.ts',
    find: '    arg = entry.parse(received)\n',
    replace: '    arg = received\n',
    test: IPC_FUZZ_TEST,
  },

  {
    promise: 'W9',
    what: 'stop the main process with a dialog before the one that asks where to',
    file: 'main/hosts/desktop/save-report.ts',
    find: '  const { canceled, filePath } = await electron.dialog.showSaveDialog({\n',
    replace:
      "  setTimeout(() => electron.dialog.showErrorBox('Headroom', 'Where to?'), 0)\n  const { canceled, filePath } = await electron.dialog.showSaveDialog({\n",
    test: 'desktop/standing-still.test.ts',
  },

  // Mutants that only tests on a real runtime notice.

  {
    promise: 'W8',
    what: 'quit again from within the quit, on a real runtime',
    file: QUIT,
    find: '    void stopOnce().then(() => app.exit(0))\n',
    replace: '    void stopOnce().then(() => (app as unknown as { quit(): void }).quit())\n',
    test: 'desktop/quit.test.ts',
  },
  {
    promise: 'W1',
    what: 'show a window whose page is not sandboxed',
    file: 'main/hosts/desktop/hardening.ts',
    find: '  app.enableSandbox()\n',
    // `no-zygote` is necessary too, because the zygote is sandboxed before the first line of the app runs,
    // and pages are forked from it.
    replace:
      "  for (const one of ['no-sandbox', 'no-zygote']) (app as unknown as App).commandLine.appendSwitch(one)\n",
    test: 'desktop/real-runtime.test.ts',
  },
]
