import { expect, test } from 'vitest'
import type { RunningAnswer } from '../../../../main/control/ask-running.ts'
import type { ControlAnswer } from '../../../../main/control/protocol.ts'
import { program } from '../../../../main/hosts/terminal/gateway-commands.ts'
import { FOLDER_BUSY } from '../../../../main/hosts/terminal/stored-programs.ts'
import { fakeTerminal } from './fake-terminal.ts'

const BUSY: ControlAnswer = { ok: false, code: FOLDER_BUSY, message: 'another Headroom is using /data' }
const ADDED: ControlAnswer = { ok: true, key: 'the-key', program: 'bot', gateway: { state: 'off' } }

/** `program add bot` on a folder in use; the app answers from the given attempt on. */
async function added(answersFrom: number) {
  const terminal = fakeTerminal()
  let asked = 0
  const exitCode = await program(
    { action: 'add', name: 'bot' },
    { class: 'normal', weight: 1 },
    {
      terminal,
      defaultDataFolder: () => '/data',
      askRunning: async (): Promise<RunningAnswer> => {
        asked += 1
        return asked >= answersFrom ? { kind: 'answered', answer: ADDED } : { kind: 'nobody' }
      },
      answerStored: () => BUSY,
      written: async () => undefined,
      clock: {
        after: (_, run) => {
          queueMicrotask(run)
          return () => {}
        },
      },
    },
  )
  return { exitCode, terminal, asked }
}

test('a program is added by an app that was still starting', async () => {
  const { exitCode, terminal } = await added(3)
  expect({ exitCode, lines: terminal.lines }).toEqual({ exitCode: 0, lines: ['the-key'] })
})

test('an app that never answers is named after ten seconds of asking', async () => {
  const { exitCode, terminal, asked } = await added(Number.POSITIVE_INFINITY)
  expect({ exitCode, errors: terminal.errors, asked }).toEqual({
    exitCode: 1,
    errors: ['another Headroom is using /data'],
    asked: 40,
  })
})
