import type { Mutant } from './registry.ts'

const IPC_FUZZ_TEST = 'main/hosts/desktop/ipc-fuzz.test.ts'
const OPEN_PAGE = 'main/hosts/desktop/open-page.ts'
const OPEN_PAGE_TEST = 'main/hosts/desktop/open-page.test.ts'
const QUIT = 'main/hosts/desktop/quit.ts'
const QUIT_TEST = 'main/hosts/desktop/quit.test.ts'

/** The desktop host's, as far as no Electron is needed to notice them. */
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
    what: 'trust a frame inside the page',
    file: 'main/hosts/desktop/ipc.ts',
    find: '    senderFrame.parent === null &&\n',
    replace: '',
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
    file: 'main/hosts/desktop/open-page.ts',
    find: 'retryDelayMs(RETRY.page, recent.length + 1, 0)',
    replace: 'retryDelayMs(RETRY.page, 1, 0)',
    test: 'main/hosts/desktop/open-page-recovery.test.ts',
  },
  {
    promise: 'W6',
    what: 'keep every snapshot for a page that stands still',
    file: 'main/hosts/desktop/paced-pushes.ts',
    find: 'if (unheard < MAX_UNHEARD) send(snapshot)',
    replace: 'if (unheard >= 0) send(snapshot)',
    test: 'main/hosts/desktop/paced-pushes.test.ts',
  },
  {
    promise: 'T9',
    what: 'sleep through the wake of the machine',
    file: 'main/hosts/desktop/follow-power.ts',
    find: '    monitor.wake()\n',
    replace: '    void monitor\n',
    test: 'main/hosts/desktop/follow-power.test.ts',
  },
  {
    promise: 'T11',
    what: 'save a report with the names that stand in the log',
    file: 'main/hosts/desktop/report.ts',
    find: 'redactor.text(withoutNames(text))',
    replace: '(withoutNames(text) && text)',
    test: 'main/hosts/desktop/report.test.ts',
  },
  {
    promise: 'W8',
    what: 'quit again from within the quit, which Electron ignores',
    file: QUIT,
    find: 'stopOnce().then(() => app.exit(0))',
    replace: 'stopOnce().then(() => (app as unknown as { quit(): void }).quit())',
    test: QUIT_TEST,
  },
  {
    promise: 'W8',
    what: 'wait for ever for what hangs',
    file: QUIT,
    find: '{ limitMs: QUIT_LIMIT_MS })\n        resolve()\n',
    replace: '{ limitMs: QUIT_LIMIT_MS })\n',
    test: QUIT_TEST,
  },
  {
    promise: 'W8',
    what: 'leave what is not written yet to a session that ends',
    file: OPEN_PAGE,
    find: "  window.on('query-session-end', sessionEnding)\n",
    replace: '',
    test: OPEN_PAGE_TEST,
  },
  {
    promise: 'W9',
    what: 'go on after an error that nothing caught',
    file: 'main/hosts/desktop/defects.ts',
    find: '    await ending.stop()\n',
    replace: '    void ending\n',
    test: 'main/hosts/desktop/defects.test.ts',
  },
  {
    promise: 'W9',
    what: 'say a failure in a dialog that stops the main process',
    file: 'main/hosts/desktop/save-report.ts',
    find: '    await electron.dialog.showMessageBox({\n',
    replace:
      "    electron.dialog.showErrorBox('Headroom', whyNotWritten(error))\n    await electron.dialog.showMessageBox({\n",
    test: 'main/hosts/desktop/save-report.test.ts',
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
  {
    promise: 'W9',
    what: 'stand still for seconds while a report is put together',
    file: 'main/history/history-service.ts',
    find: '  report(profile: string, fromMs: number, toMs: number): Report {\n',
    replace:
      '  report(profile: string, fromMs: number, toMs: number): Report {\n    for (const startMs = performance.now(); performance.now() < startMs + 3_000; ) this.#tellProblems()\n',
    test: 'desktop/standing-still.test.ts',
  },
  {
    promise: 'W8',
    what: 'hide from a person why the app does not start',
    file: 'main/hosts/desktop/start-failure.ts',
    find: '  if (!hasTerminal) {\n',
    replace: "  if (!hasTerminal && line === '') {\n",
    test: 'main/hosts/desktop/start-failure.test.ts',
  },
  // What only a real runtime notices.
  {
    promise: 'W8',
    what: 'go on in the tray although the person wants the app to end with its window',
    file: 'main/hosts/desktop/desktop-shell.ts',
    find: 'getAllWindows().length === 0) app.quit()',
    replace: 'getAllWindows().length < 0) app.quit()',
    test: 'desktop/quit.test.ts',
  },
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
    // Without the zygote: it is in its sandbox before the first line of the app runs, and a page starts as its copy.
    replace:
      "  for (const one of ['no-sandbox', 'no-zygote']) (app as unknown as App).commandLine.appendSwitch(one)\n",
    test: 'desktop/real-runtime.test.ts',
  },
  {
    promise: 'K1',
    what: 'take a keyring that is not open yet for one with another key',
    file: 'main/hosts/desktop/safe-storage-keystore.ts',
    find: '(isNotOpenYet(error) ? notOpenYet()',
    replace: '(isNotOpenYet(error) && deadlineMs < 0 ? notOpenYet()',
    test: 'main/hosts/desktop/safe-storage-keystore.test.ts',
  },
  {
    promise: 'T13',
    what: 'go around a proxy that the system names',
    file: 'main/hosts/desktop/system-proxy.ts',
    find: "httpRoutes(url === '' ? {} : { https_proxy: url })",
    replace: "httpRoutes(url === '' ? {} : {})",
    test: 'main/ports/network-way.process.test.ts',
  },
  {
    promise: 'K1',
    what: 'give up what an earlier version sealed under its own name',
    file: 'main/hosts/desktop/former-names.ts',
    find: "if (present.kind !== 'refused') return present",
    replace: "if (present.kind !== 'waiting') return present",
    test: 'main/hosts/desktop/former-names.test.ts',
  },
]
