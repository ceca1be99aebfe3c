import { expect, test } from 'vitest'
import { failToStart, type StartFailureDeps } from '../../../../main/hosts/desktop/start-failure.ts'

async function failing(hasTerminal: boolean): Promise<readonly unknown[]> {
  const said: unknown[] = []
  await failToStart("can't use the data folder /x: the disk is full", {
    electron: {
      app: { whenReady: async () => said.push('ready'), exit: (code: number) => said.push(code) },
      dialog: {
        showMessageBox: async ({ message, detail }: { message: string; detail: string }) =>
          said.push(`${message} ${detail}`),
      },
    } as unknown as StartFailureDeps['electron'],
    hasTerminal,
    complain: (line) => void said.push(line),
  })
  return said
}

test('a failed start is reported in a terminal', async () => {
  expect(await failing(true)).toEqual(["can't use the data folder /x: the disk is full", 1])
})

test('a failed start is reported in a dialog if there is no terminal', async () => {
  expect(await failing(false)).toEqual([
    "can't use the data folder /x: the disk is full",
    'ready',
    "Headroom can’t start. Can't use the data folder /x: the disk is full",
    1,
  ])
})
