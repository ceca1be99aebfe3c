import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type DefectDeps, followDefects } from '../../../../main/hosts/desktop/defects.ts'
import { proves } from '../../../proof/proves.ts'

function following(response = 1) {
  const process = new EventEmitter()
  const said: unknown[][] = []
  followDefects({
    process: process as unknown as DefectDeps['process'],
    electron: {
      app: {
        exit: (code) => void said.push(['exit', code]),
        relaunch: () => void said.push(['relaunch']),
      },
      dialog: {
        showMessageBox: async ({ message }: { message: string }) => {
          said.push(['dialog', message])
          return { response, checkboxChecked: false }
        },
      } as unknown as DefectDeps['electron']['dialog'],
    },
    log: { note: (line) => void said.push(['log', line]) },
    stop: async () => void said.push(['stop']),
    notify: () => void said.push(['notify']),
  })
  return { process, said }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('an uncaught exception', () => {
  it('is logged, ends the app with everything written, and is shown before the process ends with 1', async () => {
    const { process, said } = following()
    process.emit('uncaughtException', new Error('a defect'))
    process.emit('uncaughtException', new Error('another'))
    await settle()
    expect(said.map(([name]) => name)).toEqual(['log', 'stop', 'log', 'dialog', 'exit'])
    expect(said.at(-1)).toEqual(['exit', 1])
    proves('W9', { level: 1, cases: 1 })
  })

  it('lets a person start again', async () => {
    const { process, said } = following(0)
    process.emit('uncaughtException', new Error('a defect'))
    await settle()
    expect(said.slice(-2)).toEqual([['relaunch'], ['exit', 1]])
  })
})

describe('an unhandled rejection', () => {
  it('is logged each time and shown once, and the app continues', async () => {
    const { process, said } = following()
    process.emit('unhandledRejection', new Error('a defect'))
    process.emit('unhandledRejection', new Error('a defect'))
    await settle()
    expect(said.map(([name]) => name)).toEqual(['log', 'notify', 'log'])
  })
})
